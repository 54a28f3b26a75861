package daemon

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An entry is one line of a transcript, in parts, so that it can be copied
// into another.
type entry struct {
	side                      bool
	cwd, session, uuid, stamp string
	kind, rest                string
	raw                       string // instead of all that
}

func (e entry) String() string {
	if e.raw != "" {
		return e.raw
	}
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":%t,"cwd":%q,"sessionId":%q,"type":%q%s,"uuid":%q,"timestamp":%q}`,
		e.side, e.cwd, e.session, e.kind, e.rest, e.uuid, e.stamp)
}

// A talk writes a transcript, as Claude Code would, one second a line.
type talk struct {
	name         string // what ids begin with; the session unless it is set
	session, cwd string
	side         bool // a sub-agent's
	seconds      int
	entries      []entry
}

func (k *talk) line(kind, rest string, args ...any) *talk {
	if k.name == "" {
		k.name = k.session
	}
	k.seconds++
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC).Add(time.Duration(k.seconds) * time.Second)
	k.entries = append(k.entries, entry{
		side: k.side, cwd: k.cwd, session: k.session, kind: kind,
		uuid:  k.name + "/" + strconv.Itoa(len(k.entries)),
		stamp: at.Format("2006-01-02T15:04:05.000Z"),
		rest:  fmt.Sprintf(rest, args...),
	})
	return k
}

// raw adds a line as it is.
func (k *talk) raw(line string) *talk {
	k.entries = append(k.entries, entry{raw: line})
	return k
}

func (k *talk) prompt(text string) *talk {
	return k.line("user", `,"message":{"role":"user","content":%q}`, text)
}

// A reply is a record of an API message.
type reply struct {
	id, model, stop                      string
	in, out, read, write5, write1, think int
	calls                                []call
}

// A call is a tool call.
type call struct{ id, name string }

func (k *talk) reply(r reply) *talk {
	content := []string{`{"type":"text","text":"..."}`}
	for _, c := range r.calls {
		content = append(content, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, c.id, c.name))
	}
	if r.model == "" {
		r.model = "opus"
	}
	stop := "null"
	if r.stop != "" {
		stop = strconv.Quote(r.stop)
	}
	return k.line("assistant", `,"message":{"id":%q,"model":%q,"role":"assistant","content":[%s],"stop_reason":%s,"usage":{"input_tokens":%d,"output_tokens":%d,`+
		`"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d},`+
		`"output_tokens_details":{"thinking_tokens":%d}}}`,
		r.id, r.model, strings.Join(content, ","), stop, r.in, r.out, r.read, r.write5+r.write1, r.write5, r.write1, r.think)
}

// result adds the result of a tool call.
func (k *talk) result(id, text string, failed bool) *talk {
	return k.line("user", `,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q,"is_error":%t}]},`+
		`"toolUseResult":{"structuredPatch":[{"lines":[" a","-b","+c","+d"]}]}`, id, text, failed)
}

func (k *talk) String() string {
	var b strings.Builder
	for _, e := range k.entries {
		b.WriteString(e.String() + "\n")
	}
	return b.String()
}

// write makes a file of the talk.
func (k *talk) write(t testing.TB, dir, rel string) {
	t.Helper()
	tree{rel: k.String()}.write(t, dir)
}

// A tree is the content of files by their path.
type tree map[string]string

func (tr tree) write(t testing.TB, dir string) {
	t.Helper()
	for rel, content := range tr {
		name := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// names are the files of the tree in order.
func (tr tree) names() []string { return slices.Sorted(maps.Keys(tr)) }
