package usagetest

import (
	"math"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// A Scene is a state of a daemon at one moment.
type Scene struct {
	Name     string
	Now      time.Time
	Status   status.Status
	Progress status.Progress
	History  counters.History
	Sessions func(ledger.SessionQuery) ledger.SessionList
	Limits   []limits.Window
}

// SceneNames are the names of all scenes: what a daemon shows while it looks for files
// and catches up, without usage, with that of a week, of three months, of a team and of
// a heavy year, with hostile names, with problems, and without a history.
var SceneNames = []string{"looking", "catching-up", "empty", "first-week", "ordinary", "team", "heavy", "hostile", "problems", "off"}

// NewScene returns a scene at a time.
func NewScene(name string, now time.Time) Scene {
	s := Scene{Name: name, Now: now, Sessions: func(ledger.SessionQuery) (none ledger.SessionList) { return none }}
	s.Status = status.Status{
		Version: "1.2.3", Ready: true, Percent: 100, Files: 431, Sessions: 408, LastActivity: now.Add(-3 * time.Minute),
		Directories: []status.WatchedDir{{Path: "/home/ann/.claude/projects", Labels: 1}, {Path: "/home/bob/.claude/projects", Labels: 1}},
	}
	switch name {
	case "looking", "catching-up":
		s.catchUp()
	case "empty":
		s.Status.Files, s.Status.Sessions, s.Status.LastActivity, s.Status.Directories = 0, 0, time.Time{}, nil
		s.use(Person{Until: now})
	case "first-week":
		p := Ordinary(now)
		p.Days = 4
		s.use(p)
	case "team":
		p := Ordinary(now)
		p.Users = []string{"ann", "bob"}
		s.use(p)
	case "heavy":
		s.use(Heavy(now))
		s.Limits = []limits.Window{
			{Name: limits.FiveHours, Used: 0.62, Resets: now.Add(3 * time.Hour)},
			{Name: limits.SevenDays, Used: 0.31, Resets: now.Add(70 * time.Hour)},
			{Name: limits.SevenDays + "_opus", Used: 0.93, Resets: now.Add(70 * time.Hour)},
		}
	case "hostile":
		s.use(Hostile(now))
		for i := range 12 {
			s.Limits = append(s.Limits, limits.Window{Name: strings.Repeat("<b>\u202e", i+1), Used: float64(i) / 8, Resets: now.Add(time.Hour)})
		}
		s.Status.Directories = []status.WatchedDir{{Path: "/srv/<img src=x onerror=alert(1)>\u202e/" + strings.Repeat("deep/", 60)}}
	case "problems":
		s.use(Ordinary(now))
		s.addProblems()
	case "off":
		p := Ordinary(now)
		o := ledgertest.Options()
		o.FineHistory = 0
		p.Options = &o
		s.use(p)
	default:
		s.use(Ordinary(now))
	}
	return s
}

// use sets the record to the usage of a person.
func (s *Scene) use(p Person) {
	l := p.Ledger()
	s.History, s.Sessions = l.History(), l.SessionRecord(math.MaxInt, s.Now.UnixMilli()).Select
}

func (s *Scene) catchUp() {
	s.Status.Ready, s.Status.Percent, s.Status.LastActivity = false, 0, time.Time{}
	if s.Name == "catching-up" {
		s.Status.Percent = 30
		s.Progress = status.Progress{Files: 1200, FilesTotal: 5000, Bytes: 420_000_000, BytesTotal: 1_400_000_000, Left: 8 * time.Second}
	}
}

func (s *Scene) addProblems() {
	s.Status.Directories[0].Unreadable, s.Status.Directories[0].SkippedLinks = 3, 2
	s.Status.Directories[0].UnreadableDir = "/home/ann/.claude/projects/-home-ann-secret"
	s.Status.Directories = append(s.Status.Directories, status.WatchedDir{Path: "/home/ann/.config/claude/projects", Missing: true})
	s.Status.Problems = []string{
		"3 files or directories in /home/ann/.claude/projects cannot be read: the log has the reason, and the paths with --log.level=debug",
		"The counters are paused because the state cannot be written: the log has the reason",
	}
	s.Status.LastError = &status.Failure{Time: s.Now.Add(-5 * time.Minute), Text: "Failed to save the state: no space left on device"}
	s.Status.UnknownFormat = []transcript.UnknownItem{{Kind: "usage_key", Name: "new_tokens"}, {Kind: "subtype", Name: "ordinary"}}
}
