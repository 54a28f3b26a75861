package metrics

import "github.com/ccwatchd/ccwatchd/ledger"

// RunningSessions are the numbers of sessions whose processes run, of one source.
type RunningSessions struct {
	Source    ledger.SourceLabels
	Running   int
	Unwritten int // those that should have a transcript and have none
}

func (e *Exposition) running() []RunningSessions {
	if e.Running == nil {
		return nil
	}
	return e.Running()
}
