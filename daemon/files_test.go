package daemon

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/tailer"
)

// aside are the labels that the totals of this file are added up over.
var aside = []string{"model", "project", "agent", "stop_reason"}

// counted are the totals of so many replies, in so many sessions.
func counted(replies, sessions uint64) totals {
	return totals{
		`claude_tokens_total{type="input"}`:  replies,
		`claude_tokens_total{type="output"}`: 10 * replies,
		`claude_requests_total`:              replies,
		`claude_prompts_total{kind="text"}`:  replies,
		`claude_sessions_total`:              sessions,
	}
}

// with returns the totals and one more.
func (t totals) with(series string, v uint64) totals {
	t = maps.Clone(t)
	t[series] = v
	return t
}

// shows waits until the series that want names have its values.
func (w *world) shows(want totals) {
	w.Helper()
	w.eventually("catching up", w.d.Ready)
	var d string
	if !until(func() bool {
		got := w.totals(aside...)
		some := make(totals, len(want))
		for series := range want {
			some[series] = got[series]
		}
		d = some.diff(want)
		return d == ""
	}) {
		w.Fatalf("the totals do not come to what they should be:\n%s", d)
	}
}

const (
	subagents = `claude_subagents_total{kind="task"}`
	truncated = `ccwatchd_file_resets_total{reason="truncated"}`
	replaced  = `ccwatchd_file_resets_total{reason="replaced"}`
)

// A change is what may happen to files between two times that they are read.
type change struct {
	name  string
	files tree // read before
	do    func(w *world)
	want  totals
	// How often a file is begun anew depends on what a daemon sees of it: while
	// it watches, and when it was away meanwhile.
	live, away totals
}

func changes() []change {
	three := tree{"p/a.jsonl": said("a", 3)}
	long := tree{"p/a.jsonl": said("a", 30)}
	withAgent := tree{"p/a.jsonl": said("a", 3), "p/a/subagents/agent-1.jsonl": worked("a", 2)}
	return []change{
		{"nothing", three, func(*world) {}, counted(3, 1).with(truncated, 0).with(replaced, 0), nil, nil},
		{"grows", three, func(w *world) { w.write("p/a.jsonl", said("a", 4)) }, counted(4, 1).with(replaced, 0), nil, nil},
		{"is cut", three, func(w *world) { w.write("p/a.jsonl", said("a", 2)) }, counted(3, 1).with(truncated, 1), nil, nil},
		{"is cut within a line", three, func(w *world) { w.write("p/a.jsonl", said("a", 3)[:1000]) }, counted(3, 1).with(truncated, 1), nil, nil},
		{"is emptied", three, func(w *world) { w.write("p/a.jsonl", "") }, counted(3, 1).with(truncated, 1), nil, nil},
		{"is cut and grows again", three, func(w *world) {
			w.write("p/a.jsonl", said("a", 1))
			w.write("p/a.jsonl", said("a", 5))
		}, counted(5, 1), nil, nil},
		{"gets other content, shorter", three, func(w *world) { w.write("p/a.jsonl", said("b", 2)) }, counted(5, 2).with(truncated, 1), nil, nil},
		{"gets other content, as long", three, func(w *world) { w.write("p/a.jsonl", said("b", 3)) }, counted(6, 2), nil, totals{replaced: 1}},
		{"gets other content, longer", three, func(w *world) { w.write("p/a.jsonl", said("b", 9)) }, counted(12, 2), nil, totals{replaced: 1}},
		{"is cut and goes on differently", long, func(w *world) {
			w.write("p/a.jsonl", said("a", 20)+said("b", 20))
		}, counted(50, 2), nil, totals{replaced: 1}},
		{"is deleted", three, func(w *world) { w.remove("p/a.jsonl") }, counted(3, 1), nil, nil},
		{"is deleted and comes back", three, func(w *world) {
			w.remove("p/a.jsonl")
			w.write("p/a.jsonl", said("a", 4))
		}, counted(4, 1), nil, nil},
		{"is deleted and another comes", three, func(w *world) {
			w.remove("p/a.jsonl")
			w.write("p/b.jsonl", said("b", 4))
		}, counted(7, 2), nil, nil},
		{"is exchanged for the same", three, func(w *world) {
			w.write("p/new", said("a", 3))
			w.rename("p/new", "p/a.jsonl")
		}, counted(3, 1), totals{replaced: 1}, nil},
		{"is exchanged for another", three, func(w *world) {
			w.write("p/new", said("b", 2))
			w.rename("p/new", "p/a.jsonl")
		}, counted(5, 2), totals{replaced: 1}, nil},
		{"moves", three, func(w *world) { w.rename("p/a.jsonl", "q/a.jsonl") }, counted(3, 1).with(replaced, 0), nil, nil},
		{"moves and grows", three, func(w *world) {
			w.rename("p/a.jsonl", "q/a.jsonl")
			w.add("q/a.jsonl", said("b", 2))
		}, counted(5, 2).with(replaced, 0).with(truncated, 0), nil, nil},
		{"grows and moves", three, func(w *world) {
			w.add("p/a.jsonl", said("b", 2))
			w.rename("p/a.jsonl", "q/a.jsonl")
		}, counted(5, 2), nil, nil},
		{"moves and leaves a stub", three, func(w *world) {
			w.rename("p/a.jsonl", "q/a.jsonl")
			w.write("p/a.jsonl", `{"type":"mode","sessionId":"a"}`+"\n")
			w.add("q/a.jsonl", said("b", 2))
		}, counted(5, 2), nil, nil},
		{"moves over another", tree{"p/a.jsonl": said("a", 3), "p/b.jsonl": said("b", 2)}, func(w *world) {
			w.rename("p/a.jsonl", "p/b.jsonl")
			w.add("p/b.jsonl", said("c", 1))
		}, counted(6, 3), nil, nil},
		{"two change places", tree{"p/a.jsonl": said("a", 3), "p/b.jsonl": said("b", 2)}, func(w *world) {
			w.rename("p/a.jsonl", "p/x")
			w.rename("p/b.jsonl", "p/a.jsonl")
			w.rename("p/x", "p/b.jsonl")
			w.add("p/a.jsonl", said("c", 1))
			w.add("p/b.jsonl", said("d", 1))
		}, counted(7, 4), nil, nil},
		{"its directory moves", withAgent, func(w *world) {
			w.rename("p", "q")
			w.add("q/a.jsonl", said("b", 2))
		}, totals{subagents: 1, `claude_requests_total`: 7, `claude_sessions_total`: 2, replaced: 0}, nil, nil},
		{"has a backup beside it", three, func(w *world) {
			w.write("p/a.jsonl.backup", said("b", 3))
			w.write("p/a.jsonl.bak", said("c", 3))
			w.write("p/a/tool-results/x.jsonl", said("d", 3))
			w.write("p/a/subagents/workflows/wf/journal.jsonl", said("e", 3))
			w.add("p/a.jsonl", said("f", 1))
		}, counted(4, 2), nil, nil},
		{"has a link beside it", three, func(w *world) {
			w.link("p/a.jsonl", "p/b.jsonl")
			w.add("p/b.jsonl", said("b", 2))
		}, counted(5, 2).with(replaced, 0).with(truncated, 0), nil, nil},
		{"a sub-agent is exchanged", withAgent, func(w *world) {
			w.write("new", worked("a", 3))
			w.rename("new", "p/a/subagents/agent-1.jsonl")
		}, totals{subagents: 1, `claude_requests_total`: 6}, totals{replaced: 1}, nil},
		{"all is deleted and comes back", withAgent, func(w *world) {
			w.remove("")
			w.write("p/a.jsonl", said("a", 4))
			w.write("p/a/subagents/agent-1.jsonl", worked("a", 3))
		}, totals{subagents: 1, `claude_requests_total`: 7, `claude_sessions_total`: 1}, nil, nil},
		{"things that are no files", three, func(w *world) {
			w.write("p/dir.jsonl/b.jsonl", said("b", 1))
			w.odd("p/fifo.jsonl", "p/link.jsonl")
		}, counted(4, 2), nil, nil},
		{"what was open is cut off", tree{"p/a.jsonl": said("a", 1) + open("a")}, func(w *world) {
			w.write("p/a.jsonl", said("a", 1))
		}, totals{`claude_requests_total`: 2, `claude_tokens_total{type="output"}`: 15, truncated: 1}, nil, nil},
	}
}

// open is a message that is not at its end.
func open(session string) string {
	k := &talk{Name: session + "-open", ID: session, CWD: "/p"}
	return k.Reply(reply{ID: "msg-open-" + session, In: 1, Out: 5}).String()
}

func (w *world) link(from, to string) {
	w.Helper()
	if err := os.Link(w.path(from), w.path(to)); err != nil {
		w.Skip(err)
	}
}

// odd makes a FIFO, where there are such things, and a symbolic link.
func (w *world) odd(fifo, link string) {
	w.Helper()
	makeFIFO(w, w.path(fifo))
	elsewhere := filepath.Join(w.TempDir(), "x.jsonl")
	if err := os.WriteFile(elsewhere, []byte(said("elsewhere", 1)), 0o600); err != nil {
		w.Fatal(err)
	}
	if err := os.Symlink(elsewhere, w.path(link)); err != nil {
		w.Skip(err)
	}
}

// ways has something happen while the daemon watches, while it is down, and while it
// has died.
func ways(do func(w *world)) map[string]func(w *world) {
	return map[string]func(w *world){
		"watching": do,
		"down":     func(w *world) { w.halt(); do(w); w.start() },
		"dead":     func(w *world) { w.die(nil, func() { do(w) }) },
	}
}

// Whatever happens to files, what a reader saw of them counts once: while the
// daemon watches, while it is down, and while it has died.
func TestChanges(t *testing.T) {
	for _, c := range changes() {
		for how, change := range ways(c.do) {
			t.Run(strings.ReplaceAll(c.name, " ", "_")+"/"+how, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				c.files.Write(t, w.dir)
				w.start()
				w.totals()
				change(w)
				w.quiet()
				w.shows(c.want)
				if how == "watching" {
					w.shows(c.live)
				} else {
					w.shows(c.away)
				}
				w.restart()
				w.shows(c.want)
			})
		}
	}
}

// reused makes the daemon, which is started anew, believe that the only file it
// knows had the numbers of another one. File systems do give the numbers of a
// file that is gone to the next one, but not whenever a test likes.
func (w *world) reused(by string) {
	w.Helper()
	f, err := os.Open(w.path(by))
	if err != nil {
		w.Fatal(err)
	}
	identity, err := tailer.Identify(f)
	if err := errors.Join(err, f.Close()); err != nil {
		w.Fatal(err)
	}
	w.meddle = func(d *Daemon) {
		if err := d.state.LoadSnapshot(withIdentity(encoded(d.state), identity), d.settings.Ledger); err != nil {
			w.Error(err)
		}
	}
	w.start()
	w.meddle = nil
}

// withIdentity returns the encoding of a state in which all files have an identity.
func withIdentity(b []byte, identity tailer.ID) []byte {
	const file, device, inode = 1, 3, 4
	return eachField(b, func(n protowire.Number, field []byte) []byte {
		if n != file {
			return field
		}
		return message(file, eachField(body(field), func(n protowire.Number, field []byte) []byte {
			switch n {
			case device:
				return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), identity.Device)
			case inode:
				return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), identity.Inode)
			}
			return field
		}))
	})
}

// eachField returns a message with every field replaced.
func eachField(m []byte, replace func(protowire.Number, []byte) []byte) (all []byte) {
	for len(m) > 0 {
		n, _, size := protowire.ConsumeField(m)
		all = append(all, replace(n, m[:size])...)
		m = m[size:]
	}
	return all
}

// A file that has the numbers of another one that is gone is still another one.
func TestNumbersOfAFileAreGivenAgain(t *testing.T) {
	t.Parallel()
	for how, other := range map[string]string{
		"with other content":        said("b", 2),
		"with nothing":              "",
		"with the same and more":    said("a", 3) + said("b", 2),
		"with a part of the same":   said("a", 2),
		"with the same for a start": said("a", 2) + said("b", 2),
	} {
		t.Run(strings.ReplaceAll(how, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("p/a.jsonl", said("a", 3))
			w.start()
			w.totals()
			w.halt()
			w.remove("p/a.jsonl")
			w.write("q/b.jsonl", other)
			w.reused("q/b.jsonl")
			want := counted(3, 1)
			if strings.Contains(other, "b asks") {
				want = counted(5, 2)
			}
			w.shows(want)
			w.add("q/b.jsonl", said("c", 1))
			want = counted(want[requests]+1, want[`claude_sessions_total`]+1)
			w.shows(want)
			want[readBytes] = w.totals()[readBytes]
			for range 4 { // what is found again is not read again
				w.restart()
				w.shows(want)
			}
		})
	}
}

const readBytes = `ccwatchd_read_bytes_total`

// Of two sub-agents that had the same numbers one after the other both count.
func TestNumbersOfASubagentAreGivenAgain(t *testing.T) {
	t.Parallel()
	agent := func(name string) string {
		return (&talk{Name: name, ID: "s", CWD: "/p", Side: true}).Prompt("do " + name).String()
	}
	w := newWorld(t)
	w.write("p/s/subagents/agent-1.jsonl", agent("one"))
	w.start()
	w.shows(totals{subagents: 1})
	w.halt()
	w.remove("p/s/subagents/agent-1.jsonl")
	w.write("p/s/subagents/agent-2.jsonl", agent("two"))
	w.reused("p/s/subagents/agent-2.jsonl")
	w.shows(totals{subagents: 2})
	w.restart()
	w.shows(totals{subagents: 2})
}

// A root may come late, go, and come back.
func TestRootComesAndGoes(t *testing.T) {
	w := newWorld(t)
	w.remove("")
	w.start()
	w.shows(totals{"claude_requests_total": 0})
	if _, err := os.Stat(w.dir); !os.IsNotExist(err) {
		t.Fatalf("the daemon made the root: %v", err)
	}
	w.write("p/a.jsonl", said("a", 2))
	w.shows(counted(2, 1))
	w.remove("")
	w.eventually("the file being missed", func() bool { return w.files() == 0 })
	w.write("p/a.jsonl", said("a", 3))
	w.shows(counted(3, 1))
}
