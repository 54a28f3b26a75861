package daemon

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
)

// reload reads the configuration and puts it in force. Nothing has changed
// where it returns an error.
func (e *engine) reload() error {
	settings, err := e.Load()
	if err != nil {
		e.Metrics.ReloadFailed()
		e.Logger.Error("Failed to reload the configuration, the old one stays in force", "err", err)
		return err
	}
	e.settings = settings
	e.shared.do(&configureStep{options: settings.Ledger})
	e.watch.stop()
	e.reader = tailer.NewReader(settings.MaxLine)
	e.configure(settings.Sources())
	e.Metrics.Reloaded(e.now())
	e.Logger.Info("Reloaded the configuration", "sources", len(e.sources))
	return nil
}

// refresh watches other sources if the patterns of the configuration stand for
// others now.
func (e *engine) refresh() {
	now := e.settings.Sources()
	if slices.EqualFunc(e.sources, now, source.is) {
		return
	}
	e.Logger.Info("The sources have changed", "sources", len(now))
	e.watch.stop()
	e.configure(now)
}

// is reports whether the source is one of the configuration.
func (s source) is(of Source) bool {
	return s.path == of.Path && s.labels == ledger.NewSource(of.Labels)
}

// configure puts other sources and labels in force. Files are found anew by
// the next walk.
func (f *follower) configure(labels Labeller, sources []Source) {
	f.labels, f.cwd, f.project = labels, "", ""
	f.sources = nil
	for _, one := range sources {
		f.sources = append(f.sources, source{one.Path, ledger.NewSource(one.Labels)})
	}
	f.shared.anew()
	for id := range f.awake {
		f.leave(id)
	}
	clear(f.failing)
}
