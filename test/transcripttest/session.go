// Package transcripttest writes transcripts for tests: line by line, or generated trees
// that contain every kind of entry of real ones. It is the only session generator of
// the tests, except package corpus, which writes sessions of realistic sizes.
package transcripttest

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A Line is one line of a transcript, in parts, so that it can be copied into another
// transcript. Rest is JSON that begins with a comma.
type Line struct {
	Side                                  bool
	CWD, Session, UUID, Parent, Timestamp string
	Type, Rest                            string
	Raw                                   string // instead of all that

	estimate   bool   // a gateway's estimate, which the next line replaces
	unfinished *Reply // the last record of a message without a final one
}

func (l Line) String() string {
	if l.Raw != "" {
		return l.Raw
	}
	parent := "null"
	if l.Parent != "" {
		parent = strconv.Quote(l.Parent)
	}
	return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":%t,"cwd":%q,"sessionId":%q,"type":%q%s,"uuid":%q,"timestamp":%q}`,
		parent, l.Side, l.CWD, l.Session, l.Type, l.Rest, l.UUID, l.Timestamp)
}

// A Session builds a transcript as Claude Code writes it, one second per line.
type Session struct {
	Name    string // prefix of uuids; ID if empty
	ID, CWD string
	Side    bool      // of a sub-agent
	Start   time.Time // 2026-03-01 10:00 if zero
	Seconds int       // time of the last line after the start
	Lines   []Line
	Linked  bool // each line has the one before it as its parent
	taken   int  // lines that Take removed
}

// Line adds a line of a type. Rest is a format of JSON that begins with a comma.
func (s *Session) Line(kind, rest string, args ...any) *Session {
	if s.Name == "" {
		s.Name = s.ID
	}
	s.Seconds++
	start := s.Start
	if start.IsZero() {
		start = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	}
	at := start.UTC().Add(time.Duration(s.Seconds) * time.Second)
	s.Lines = append(s.Lines, Line{
		Side: s.Side, CWD: s.CWD, Session: s.ID, Type: kind,
		UUID: s.Name + "/" + strconv.Itoa(s.taken+len(s.Lines)), Parent: s.parent(),
		Timestamp: at.Format("2006-01-02T15:04:05.000Z"),
		Rest:      fmt.Sprintf(rest, args...),
	})
	return s
}

// parent returns the uuid of the line that the next one follows.
func (s *Session) parent() string {
	for i := len(s.Lines) - 1; s.Linked && i >= 0; i-- {
		if s.Lines[i].UUID != "" {
			return s.Lines[i].UUID
		}
	}
	return ""
}

// Raw adds a line unchanged.
func (s *Session) Raw(line string) *Session {
	s.Lines = append(s.Lines, Line{Raw: line})
	return s
}

// Prompt adds a prompt.
func (s *Session) Prompt(text string) *Session {
	return s.Line("user", `,"message":{"role":"user","content":%q}`, text)
}

// A Reply is a record of an API message.
type Reply struct {
	ID, Model, Stop                               string
	In, Out, Read, Write5, Write1, Think, Advised int // Advised is the output of an advisor
	Fast, US                                      bool
	MissReason                                    string // that is stated
	Ref                                           string // the id of its API request, which is stated if it is not empty
	Block                                         int    // the position of the record among those of the message, from 0
	Blocks                                        bool   // the position is stated; it always is with a Ref
	Cut                                           bool   // the stream broke off
	Calls                                         []Call
	Agent, Skill, Plugin, Server                  string // what it works for, if not empty
}

// A Call is a tool call.
type Call struct{ ID, Name string }

// Reply adds a record of an API message.
func (s *Session) Reply(r Reply) *Session { return s.Line("assistant", "%s", r.rest()) }

// rest returns the JSON of the record in its line.
func (r Reply) rest() string {
	content := []string{`{"type":"text","text":"..."}`}
	for _, c := range r.Calls {
		input := "{}"
		if c.Name == "Skill" {
			input = `{"skill":"review"}`
		}
		content = append(content, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, c.ID, c.Name, input))
	}
	if r.Model == "" {
		r.Model = "opus"
	}
	stop := "null"
	if r.Stop != "" {
		stop = strconv.Quote(r.Stop)
	}
	iterations := ""
	if r.Advised > 0 {
		iterations = fmt.Sprintf(`,"iterations":[{"type":"advisor_message","model":"advisor","input_tokens":7,"output_tokens":%d}]`, r.Advised)
	}
	service, works := "", ""
	for _, name := range [][2]string{{"Agent", r.Agent}, {"Skill", r.Skill}, {"Plugin", r.Plugin}, {"McpServer", r.Server}} {
		if name[1] != "" {
			works += fmt.Sprintf(`,"attribution%s":%q`, name[0], name[1])
		}
	}
	if r.Fast {
		service += `,"speed":"fast"`
	}
	if r.US {
		service += `,"inference_geo":"us"`
	}
	changed := ""
	if r.MissReason != "" {
		changed = `,"diagnostics":{"cache_miss_reason":{"type":"` + r.MissReason + `","cache_missed_input_tokens":7}}`
	}
	if r.Ref != "" {
		works += fmt.Sprintf(`,"requestRef":%q`, r.Ref)
	}
	if r.Ref != "" || r.Blocks {
		works += fmt.Sprintf(`,"apiBlockIndex":%d`, r.Block)
	}
	details := `,"stop_details":null`
	if r.Cut || r.Stop == "" {
		details = ""
	}
	return works + fmt.Sprintf(`,"message":{"id":%q,"model":%q,"role":"assistant","content":[%s],"stop_reason":%s%s,"usage":{"input_tokens":%d,"output_tokens":%d,`+
		`"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d},`+
		`"output_tokens_details":{"thinking_tokens":%d}%s%s}%s}%s`,
		r.ID, r.Model, strings.Join(content, ","), stop, details, r.In, r.Out, r.Read, r.Write5+r.Write1, r.Write5, r.Write1, r.Think, iterations, service, changed, requestAttributes(r.ID))
}

// requestAttributes returns the JSON of what a line states about how its request was
// made. All lines of a message state the same.
func requestAttributes(message string) string {
	n := crc32.ChecksumIEEE([]byte(message)) % 60
	efforts := [...]string{"low", "medium", "high", "xhigh", "max"}
	entrypoints := [...]string{"cli", "claude-vscode", "sdk-ts", "new"}
	return fmt.Sprintf(`,"effort":%q,"entrypoint":%q,"version":"2.1.%d"`,
		efforts[n%5], entrypoints[n%4], 5+6*n)
}

// Result adds the result of a tool call.
func (s *Session) Result(id, text string, failed bool) *Session {
	return s.Line("user", `,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q,"is_error":%t}]},`+
		`"toolUseResult":{"structuredPatch":[{"lines":[" a","-b","+c","+d"]}]}`, id, text, failed)
}

func (s *Session) String() string {
	var b strings.Builder
	for _, e := range s.Lines {
		b.WriteString(e.String() + "\n")
	}
	return b.String()
}

// Take removes the lines, so that a test can write them one by one, and returns them.
func (s *Session) Take() string {
	text := s.String()
	s.taken += len(s.Lines)
	s.Lines = s.Lines[:0]
	return text
}

// A Tree is the content of files by their relative path.
type Tree map[string]string

// Write writes the files below a directory.
func (tr Tree) Write(t testing.TB, dir string) {
	t.Helper()
	for rel, content := range tr {
		Dir{t, dir}.Write(rel, content)
	}
}

// ReadTree reads all files below a directory. Files that are removed in the meantime
// are omitted.
func ReadTree(t testing.TB, dir string) Tree {
	t.Helper()
	all := make(Tree)
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(rel string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := fs.ReadFile(root, rel)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		all[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Names returns the sorted paths.
func (tr Tree) Names() []string { return slices.Sorted(maps.Keys(tr)) }

// Replies returns a session with n prompts and replies of one input and ten output
// tokens.
func Replies(session string, n int) string {
	s := &Session{ID: session, CWD: "/home/dev/" + session}
	for i := range n {
		s.Prompt(fmt.Sprintf("%s asks for the %d. time", session, i+1))
		s.Reply(Reply{ID: fmt.Sprintf("msg-%s-%d", session, i), In: 1, Out: 10, Stop: "end_turn"})
	}
	return s.String()
}
