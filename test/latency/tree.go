package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// Ages of files. Claude Code deletes transcripts after 30 days unless configured
// otherwise; many people keep them for longer.
const (
	day     = 24 * time.Hour
	hotAge  = 5 * time.Minute // at most
	coldAge = time.Hour       // at least
	kept    = 45 * day        // at most
)

// A file is a transcript.
type file struct {
	name     string // below the tree's root, with slashes
	session  string
	agent    bool
	resumed  bool // its session registers before a line is appended
	modified time.Time
}

// A tree is a directory of transcripts with one request each.
type tree struct {
	rng      *rand.Rand
	root     string
	now      time.Time // the ages refer to it
	files    []file
	hot      []file
	cold     []file   // of sessions, by age
	projects []string // their directories
	requests int      // written so far
	created  int      // files after the first ones
}

// newTree returns a tree whose files are not written yet. Sessions are spread evenly
// over the time for which they are kept, and sub-agents ended with their session. So
// projects with many sessions were used recently, and those with few rarely were. The
// hot files are chosen at random, which favors projects with many.
func newTree(root string, o options, now time.Time) *tree {
	t := &tree{
		rng:  rand.New(rand.NewPCG(o.seed, 0)), //nolint:gosec // must be reproducible
		root: root, now: now, files: layout(o.files, o.directories),
	}
	ages := make(map[string]time.Duration)
	for _, f := range t.files {
		if !f.agent {
			ages[f.session] = coldAge + t.random(kept-coldAge)
			t.projects = append(t.projects, path.Dir(f.name))
		}
	}
	slices.Sort(t.projects)
	t.projects = slices.Compact(t.projects)
	for i, n := range t.rng.Perm(len(t.files)) {
		f := &t.files[n]
		age := ages[f.session]
		if i < o.hot {
			age = t.random(hotAge)
		}
		f.modified = now.Add(-age)
		switch {
		case age < hotAge:
			t.hot = append(t.hot, *f)
		case !f.agent:
			t.cold = append(t.cold, *f)
		}
	}
	slices.SortFunc(t.cold, func(a, b file) int { return b.modified.Compare(a.modified) })
	return t
}

// layout distributes files over directories as Claude Code does. Three quarters of the
// directories belong to sessions with sub-agents, two each; the others are projects.
// Half of the files are of sub-agents.
func layout(files, directories int) (all []file) {
	parents := directories * 3 / 8
	projects, agents := directories-2*parents, 0
	if parents > 0 {
		agents = files / 2
	}
	sessions := files - agents
	for i, project := range distribute(sessions, projects) {
		all = append(all, newSession(fmt.Sprintf("-home-dev-project-%d", project), i))
	}
	for i := range agents {
		parent := all[i%parents*sessions/parents]
		all = append(all, newAgent(path.Join(path.Dir(parent.name), parent.session, "subagents"), parent.session, i))
	}
	return all
}

// distribute returns the project of each session, in order. Every project has one, and
// the others follow Zipf's law: a few projects have most of them.
func distribute(sessions, projects int) (all []int) {
	sum := 0.0
	for i := range projects {
		sum += 1 / float64(i+1)
	}
	reached := 0.0
	for i := range projects {
		reached += 1 / float64(i+1)
		last := i + 1 + int(math.Round(float64(sessions-projects)*reached/sum))
		for len(all) < last {
			all = append(all, i)
		}
	}
	return all
}

// newSession returns the main transcript of a session.
func newSession(project string, number int) file {
	id := fmt.Sprintf("%08x-0000-4000-8000-%012x", number, number)
	return file{name: path.Join(project, id+".jsonl"), session: id}
}

// newAgent returns the transcript of a sub-agent.
func newAgent(dir, session string, number int) file {
	return file{name: path.Join(dir, fmt.Sprintf("agent-a%016x.jsonl", number)), session: session, agent: true}
}

// write writes all files, and sets the modification times of files and directories. A
// directory was modified when its newest file was.
func (t *tree) write() error {
	newest := make(map[string]time.Time)
	for _, f := range t.files {
		if err := t.append(f); err != nil {
			return err
		}
		for name := f.name; name != "."; name = path.Dir(name) {
			newest[name] = slices.MaxFunc([]time.Time{newest[name], f.modified}, time.Time.Compare)
		}
	}
	for name, at := range newest {
		if err := os.Chtimes(t.abs(name), at, at); err != nil {
			return err
		}
	}
	return nil
}

// append appends a line with a request to a file, and creates it if necessary.
func (t *tree) append(f file) error {
	t.requests++
	if f.resumed {
		if err := t.register(f.session); err != nil {
			return err
		}
	}
	s := transcripttest.Session{
		ID: f.session, Name: fmt.Sprintf("%08x-0000-4000-9000-%012x", t.requests, t.requests),
		CWD: "/home/dev/project", Side: f.agent, Start: cmp.Or(f.modified, time.Now()).Add(-time.Second),
	}
	s.Reply(transcripttest.Reply{ID: fmt.Sprintf("msg_%024d", t.requests), Model: "claude-opus-4-6", Stop: "end_turn", In: 3, Out: 5})
	return transcripttest.AppendFile(t.abs(f.name), s.String())
}

// register registers a session as Claude Code does for a new process: this one.
func (t *tree) register(session string) error {
	dir := filepath.Join(filepath.Dir(t.root), "sessions")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	text := fmt.Sprintf(`{"pid":%d,"sessionId":%q}`, os.Getpid(), session)
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", t.requests)), []byte(text), 0o600)
}

// random returns a duration below a limit.
func (t *tree) random(limit time.Duration) time.Duration {
	return time.Duration(t.rng.Int64N(int64(limit)))
}

func (t *tree) abs(name string) string { return filepath.Join(t.root, filepath.FromSlash(name)) }

// A kind is a kind of file to write a line to.
type kind struct {
	name string
	next func(*tree) file
}

// kinds are in the order of the table. Hot files come first, while they are hot.
func kinds() []kind {
	return []kind{
		{"hot file", func(t *tree) file { return t.hot[t.rng.IntN(len(t.hot))] }},
		{"new file", (*tree).newFile},
		{"new file in any project", func(t *tree) file { return t.newIn(t.projects[t.rng.IntN(len(t.projects))]) }},
		{"new file in a new project", func(t *tree) file { return t.newIn(fmt.Sprintf("-home-dev-new-%d", t.created)) }},
		{"resumed cold file", (*tree).nextResumed},
		{"cold file", (*tree).nextCold},
		{"any cold file", func(t *tree) file { return t.takeCold(t.rng.IntN(len(t.cold))) }},
	}
}

// newFile returns a new file where Claude Code creates them: that of a sub-agent of a
// session that was written recently, or that of a session in a project that is in use.
func (t *tree) newFile() file {
	if parent := t.hot[t.rng.IntN(len(t.hot))]; !parent.agent && t.rng.IntN(2) == 0 {
		t.created++
		return newAgent(path.Join(path.Dir(parent.name), parent.session, "subagents"), parent.session, len(t.files)+t.created)
	}
	return t.newIn(path.Dir(t.cold[t.likely()].name))
}

// newIn returns a new session in a project.
func (t *tree) newIn(project string) file {
	t.created++
	return newSession(project, len(t.files)+t.created)
}

// likely returns the position in cold of a session that people may return to. The
// logarithm of its age is uniform: half of them were used within the last 33 hours, and
// a quarter more than eight days ago.
func (t *tree) likely() int {
	newest, oldest := t.age(0), t.age(len(t.cold)-1)
	wanted := newest * math.Pow(oldest/newest, t.rng.Float64())
	return sort.Search(len(t.cold)-1, func(i int) bool { return t.age(i) >= wanted })
}

// age returns the age of a cold file in seconds when the tree was made.
func (t *tree) age(i int) float64 { return t.now.Sub(t.cold[i].modified).Seconds() }

// takeCold returns a file that was not returned before.
func (t *tree) takeCold(i int) file {
	f := t.cold[i]
	t.cold = slices.Delete(t.cold, i, i+1)
	return f
}

func (t *tree) nextCold() file { return t.takeCold(t.likely()) }

func (t *tree) nextResumed() file {
	f := t.nextCold()
	f.resumed = true
	return f
}
