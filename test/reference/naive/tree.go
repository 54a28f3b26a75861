package naive

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// A Source is the content of a transcript.
type Source struct {
	Path      string // below the directory, with slashes
	Content   []byte
	AgentType string // as stated in the file beside the transcript of a sub-agent
	Modified  time.Time
}

// A Tree is the transcripts of a directory, read at the time Now.
type Tree struct {
	Files    []*File // in the order of reading
	Now      int64   // in milliseconds since the epoch
	messages []*message
}

// A File is a transcript.
type File struct {
	Path     string
	Lines    []*Line
	isAgent  bool   // a sub-agent wrote it
	kind     string // of a copy of a session, else empty
	stated   string // the type of the sub-agent in the description
	warmup   bool   // the sub-agent only warms the cache
	modified int64  // in milliseconds since the epoch
	ids      ids
}

// A Line is an entry with facts from it and from earlier lines.
type Line struct {
	Entry
	file    *File
	number  int      // of the entry in its file
	at      int64    // the stated time in milliseconds since the epoch, 0 if there is no usable one
	counts  int64    // when it counts: at this time, but not in the future, or else when the lines before it did
	paused  bool     // it comes after a pause
	side    bool     // it is not part of a main conversation
	agent   string   // the label
	project string   // the label
	key     string   // of the message, "" if it is none
	calls   []string // keys of its Calls
	results []result
}

func readSource(dir, name string) (s Source, err error) {
	if s.Content, err = os.ReadFile(name); err != nil {
		return s, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return s, err
	}
	s.Modified = info.ModTime()
	rel, err := filepath.Rel(dir, name)
	s.Path = filepath.ToSlash(rel)
	base, _, _ := strings.Cut(name, ".jsonl")
	var description struct {
		AgentType any `json:"agentType"`
	}
	if b, err := os.ReadFile(base + ".meta.json"); err == nil && len(b) <= 64<<10 && json.Unmarshal(b, &description) == nil {
		s.AgentType = text(description.AgentType)
	}
	return s, err
}

// NewTree returns the tree of some transcripts, in the order of reading.
func NewTree(now time.Time, sources ...Source) *Tree {
	t := &Tree{Now: now.UnixMilli()}
	entries := make(map[string][]Entry)
	for _, s := range sources {
		entries[s.Path] = entriesIn(s.Content)
	}
	for _, s := range sources {
		base := path.Base(s.Path)
		f := &File{Path: s.Path, isAgent: strings.HasPrefix(base, "agent-"), stated: s.AgentType}
		for _, kind := range []string{"compact", "prompt_suggestion", "side_question"} {
			if strings.HasPrefix(base, "agent-a"+kind+"-") {
				f.kind = kind
			}
		}
		f.modified = t.Now
		if m := s.Modified.UnixMilli(); m >= earliest && m < t.Now {
			f.modified = m
		}
		f.read(entries[s.Path], projectIn(startOf(f, entries)), t.Now)
		t.Files = append(t.Files, f)
	}
	t.messages = t.collect()
	return t
}

func (f *File) read(entries []Entry, start string, now int64) {
	project, latest, prompted := "unknown", int64(0), false
	f.ids = ids{f.Path, make(map[string]response), make(map[[2]string]string), make(map[string]string)}
	for i, e := range entries {
		l := &Line{Entry: e, file: f, number: i, at: ParseTime(e.Text("timestamp")), side: f.isAgent || e.At("isSidechain") == true}
		if l.at > now+day {
			l.at = 0
		}
		if l.counts = min(l.at, now); l.at == 0 {
			l.counts = cmp.Or(min(latest*1000, now), f.modified)
		}
		if l.at > 0 { // pauses are in whole seconds
			at := min(l.at, now) / 1000
			l.paused = latest > 0 && at-latest > 10*60
			latest = max(latest, at)
		}
		if e.Text("cwd") != "" {
			project = start
		}
		if f.isAgent && !prompted && e.Text("type") == "user" {
			blocks := e.Blocks()
			prompted = true
			f.warmup = len(blocks) > 0 && blocks[0].Text("type") == "text" && blocks[0].Text("text") == "Warmup"
		}
		l.project, l.agent = project, f.agentOf(l)
		f.ids.identify(l)
		f.Lines = append(f.Lines, l)
	}
}

// agentOf returns the agent label of an entry.
func (f *File) agentOf(l *Line) string {
	switch {
	case f.warmup:
		return "warmup"
	case f.kind != "":
		return f.kind
	case l.side:
		return "subagent"
	}
	return "main"
}

// typeOf returns the type of the sub-agent that wrote an entry.
func (f *File) typeOf(l *Line) string {
	return cmp.Or(public(cmp.Or(l.Text("attributionAgent"), f.stated), publicAgents), "unknown")
}

// Message returns the key of an entry's message, "" without a message.
func (l *Line) Message() string { return l.key }

// ToolCalls returns the keys of the tool calls of an entry.
func (l *Line) ToolCalls() []string { return l.calls }

// id returns the uuid of an entry, or else its place.
func (l *Line) id() string {
	if id, ok := l.At("uuid").(string); ok {
		return id
	}
	return fmt.Sprint(l.file.Path, " ", l.number)
}
