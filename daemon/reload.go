package daemon

// reload reads the configuration and puts it in force. After an error nothing has
// changed.
func (e *engine) reload() error {
	d := e.daemon
	settings, err := d.load()
	if err != nil {
		d.metrics.ReloadFailed()
		d.log.Error("Failed to reload the configuration, the old one stays in force", "err", err)
		return err
	}
	d.settings = settings
	d.state.Configure(settings.Ledger)
	sources := settings.Sources()
	e.configure(sources)
	d.metrics.Reloaded(d.now())
	d.log.Info("Reloaded the configuration", "sources", len(sources))
	return nil
}

// refresh watches other sources if the patterns of the configuration match others now.
func (e *engine) refresh() {
	sources := e.daemon.settings.Sources()
	if e.follower.HasSources(sources) {
		return
	}
	e.daemon.log.Info("The sources have changed", "sources", len(sources))
	e.configure(sources)
}
