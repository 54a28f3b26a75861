package daemon

import (
	"time"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/internal/registry"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// expectedFiles finds the transcripts that running sessions will write to: a session
// registers when it is resumed, before its first line. It is a hint only, so errors are
// left to runningSessions.
type expectedFiles struct {
	now     func() time.Time
	configs map[string]registryRead // by directory
}

// registryRead is the last read of a registry.
type registryRead struct {
	at, modified time.Time
}

func newExpectedFiles(sources []follow.Source, now func() time.Time) *expectedFiles {
	e := &expectedFiles{now: now, configs: make(map[string]registryRead)}
	for _, source := range sources {
		if config, ok := registry.Dir(source.Path); ok {
			e.configs[config] = registryRead{}
		}
	}
	return e
}

// names returns the base names of the transcripts of running sessions, if any process
// has registered or ended since the last call, or a minute has passed: a process may go
// on with another session.
func (e *expectedFiles) names() (names []string) {
	for config, last := range e.configs {
		now, modified := e.now(), registry.Modified(config)
		if modified.Equal(last.modified) && now.Sub(last.at).Abs() < runningInterval {
			continue
		}
		sessions, err := registry.Read(config)
		if err != nil {
			continue // until it can be read
		}
		e.configs[config] = registryRead{at: now, modified: modified}
		for _, s := range sessions {
			names = append(names, transcript.FileName(s.ID))
		}
	}
	return names
}
