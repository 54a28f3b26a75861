package daemon

import "github.com/ccwatchd/ccwatchd/ledger"

// reload reads the configuration and applies it. An error changes nothing.
func (e *engine) reload() error {
	d := e.daemon
	settings, err := d.load()
	if err != nil {
		d.metrics.ReloadFailed()
		d.log.Error("Failed to reload the configuration, keeping the current one", "err", err)
		return err
	}
	d.settings.Store(&settings)
	d.configure()
	sources := settings.Sources()
	e.configure(sources)
	d.metrics.Reloaded(d.now())
	d.log.Info("Reloaded the configuration", "sources", len(sources))
	return nil
}

// refreshSources applies the sources that the configured patterns match now, if they
// have changed.
func (e *engine) refreshSources() {
	sources := e.daemon.settings.Load().Sources()
	e.daemon.ownFiles.Store(areOwn(sources)) // a directory may have appeared
	if e.follower.HasSources(sources) {
		return
	}
	e.daemon.log.Info("Sources have changed", "sources", len(sources))
	e.configure(sources)
}

// configure applies the settings to the counters.
func (d *Daemon) configure() {
	d.state.Change(func(l *ledger.Ledger, _ int64) { l.Configure(d.settings.Load().Ledger) })
}
