package daemon

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// options say what is in a generated tree.
type options struct {
	// copies: histories are copied into forks and side jobs, and messages get
	// their last record after another one. Then what is counted is the same in
	// whatever order it is read, but not to which labels.
	copies bool
	size   int // sessions, 4 unless told otherwise
}

// unordered are the families and labels that depend, where there are copies,
// on which copy was read first.
var unordered = []string{"ccwatchd_duplicates_total", "ccwatchd_file_resets_total", "project", "agent", "stop_reason"}

// always are those that depend on when something was read in any case.
var always = []string{"ccwatchd_duplicates_total", "ccwatchd_file_resets_total"}

// A generator makes up transcripts in which everything happens that does.
type generator struct {
	*rand.Rand
	options
	tree  tree
	ids   int
	talks []*talk
}

// generate returns the same tree for the same seed and options.
func generate(seed uint64, o options) tree {
	if o.size == 0 {
		o.size = 4
	}
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), options: o, tree: make(tree)}
	for i := range o.size {
		g.session(fmt.Sprintf("%d-%d", seed, i))
	}
	g.tree["-p-empty/empty.jsonl"] = ""
	return g.tree
}

// id returns one that is in the tree only once.
func (g *generator) id(kind string) string {
	g.ids++
	return fmt.Sprintf("%s_%s%d", kind, g.talks[0].session, g.ids)
}

func (g *generator) often() bool  { return g.IntN(2) == 0 }
func (g *generator) seldom() bool { return g.IntN(6) == 0 }

// pick returns one of several.
func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

func (g *generator) session(id string) {
	project := pick(g, "app", "web", "lib", "doc")
	k := &talk{session: id, cwd: "/home/dev/" + project, seconds: g.IntN(3600)}
	g.talks = append(g.talks, k)
	for range 2 + g.IntN(5) {
		g.turn(k)
	}
	dir := "-home-dev-" + project + "/"
	for i := range g.IntN(3) {
		g.subagent(k, fmt.Sprintf("%s%s/subagents/%sagent-%s%d.jsonl", dir, id, pick(g, "", "workflows/wf_1/"), id, i), i)
	}
	if g.copies {
		g.fork(k)
		g.sideJob(k, dir)
	}
	if g.seldom() {
		g.replay(k)
	}
	g.tree[dir+id+".jsonl"] = g.ended(k.String())
}

// ended gives a file an end: whole, without its last newline, or amidst a line.
func (g *generator) ended(content string) string {
	switch g.IntN(4) {
	case 0:
		return strings.TrimSuffix(content, "\n")
	case 1:
		return content + `{"type":"user","mess`
	}
	return content
}

// turn adds a prompt and what follows it.
func (g *generator) turn(k *talk) {
	g.prompt(k)
	for range 1 + g.IntN(4) {
		g.step(k)
		g.noise(k)
	}
	if g.often() {
		k.line("system", `,"subtype":"turn_duration","durationMs":%d`, g.IntN(200000))
	}
}

func (g *generator) prompt(k *talk) {
	text := g.id("text")
	switch g.IntN(8) {
	case 0:
		k.line("user", `,"message":{"content":[{"type":"text","text":"<ide_opened_file>x"},{"type":"text","text":%q}]}`, text)
	case 1:
		k.prompt("<command-name>/clear</command-name>" + text)
	case 2:
		k.prompt("<command-message>x</command-message><command-name>/secret</command-name>" + text)
	case 3:
		k.line("attachment", `,"attachment":{"type":"queued_command","commandMode":"prompt","prompt":%q}`, text)
	case 4:
		k.line("user", `,"promptSource":"sdk","message":{"content":%q}`, text)
	case 5:
		k.line("user", `,"isMeta":true,"message":{"content":%q}`, text)
	default:
		k.prompt(text)
	}
}

// step adds an API message in one of the ways in which they are written, and
// the results of its tools.
func (g *generator) step(k *talk) {
	r := reply{id: g.id("msg"), model: pick(g, "opus", "sonnet", "haiku"), in: g.IntN(100), read: g.IntN(2) * g.IntN(50000), write5: g.IntN(2) * g.IntN(3000), write1: g.IntN(300)}
	final := r
	final.out, final.think, final.stop = 10+g.IntN(900), g.IntN(10), pick(g, "tool_use", "end_turn", "max_tokens")
	for range g.IntN(3) {
		final.calls = append(final.calls, call{g.id("toolu"), pick(g, "Bash", "Read", "Edit", "mcp__srv__do", "Task")})
	}
	early := g.seldom()
	if early {
		g.results(k, final.calls)
	}
	r.out = 1
	switch style := g.IntN(5); {
	case style == 0: // every line is final
		k.reply(final).reply(final)
	case style == 1: // none ever is
		final.stop = ""
		k.reply(r).reply(final)
	case style == 2: // a gateway estimates first
		r.in, r.read, r.write5, r.write1 = 8781, 0, 0, 0
		k.reply(r).reply(final)
	case style == 3 && g.copies: // another message comes between
		other := reply{id: g.id("msg"), in: 1, out: 2, stop: "end_turn"}
		k.reply(r).reply(other).reply(final)
	default:
		k.reply(r).reply(r).reply(final)
	}
	if !early {
		g.results(k, final.calls)
	}
}

func (g *generator) results(k *talk, calls []call) {
	for _, c := range calls {
		text, failed := "fine", g.seldom()
		if failed {
			text = pick(g, "Exit code 1", "The user doesn't want that", "<tool_use_error>no")
		}
		k.result(c.id, text, failed)
	}
	if g.seldom() {
		k.result(g.id("toolu"), "Exit code 2", true) // of a call that was lost
	}
}

// noise adds what may stand between two messages.
func (g *generator) noise(k *talk) {
	switch g.IntN(16) {
	case 0:
		k.line("system", `,"subtype":"compact_boundary","compactMetadata":{"trigger":%q,"preTokens":%d}`, pick(g, "auto", "manual"), g.IntN(200000))
	case 1:
		k.line("assistant", `,"isApiErrorMessage":true,"error":"rate_limit","apiErrorStatus":429,"message":{"model":"<synthetic>","content":"no","usage":{"input_tokens":0}}`)
	case 2:
		k.line("system", `,"subtype":"api_error","error":{"status":529},"retryInMs":602.12`)
	case 3:
		k.line("queue-operation", `,"operation":%q`, pick(g, "enqueue", "dequeue"))
	case 4:
		k.line("progress", `,"data":{"type":"agent_progress","message":{"message":{"id":"msg_x","usage":{"input_tokens":5}}}}`)
	case 5:
		k.line("user", `,"message":{"content":[{"type":"text","text":%q}]}`, interrupted+g.id("text"))
	case 6:
		k.raw("broken \x00 line")
	case 7:
		one := &talk{name: g.id("glued"), session: k.session, cwd: k.cwd, side: k.side, seconds: k.seconds}
		one.prompt(g.id("text")).reply(reply{id: g.id("msg"), in: 1, out: 1, stop: "end_turn"})
		k.raw(one.entries[0].String() + one.entries[1].String())
	case 8:
		one := &talk{name: g.id("torn"), session: k.session, cwd: k.cwd, side: k.side, seconds: k.seconds}
		one.prompt(g.id("text"))
		k.raw(`{"type":"user","message":{"conte` + one.entries[0].String())
	case 9:
		k.raw("\x00\x00\x00 ")
	case 10:
		k.line("never-seen", `,"x":1`)
	case 11:
		k.raw("[1]")
	}
}

// subagent adds the transcript of a sub-agent.
func (g *generator) subagent(of *talk, rel string, n int) {
	k := &talk{name: fmt.Sprintf("%s-agent%d", of.session, n), session: of.session, cwd: of.cwd, side: true, seconds: of.seconds}
	if g.seldom() {
		k.prompt("Warmup")
	} else {
		k.prompt("do " + g.id("text"))
	}
	for range 1 + g.IntN(5) {
		g.step(k)
		g.noise(k)
	}
	g.tree[rel] = g.ended(k.String())
}

// fork adds sessions in other projects that begin with a copy of another.
func (g *generator) fork(of *talk) {
	for i := range g.IntN(3) {
		k := &talk{name: fmt.Sprintf("%s-fork%d", of.session, i), session: fmt.Sprintf("%s-fork%d", of.session, i), cwd: "/home/dev/" + pick(g, "app", "web", "fork"), seconds: of.seconds}
		fresh := g.often()
		for j, e := range of.entries {
			e.session, e.cwd = k.session, k.cwd
			if fresh {
				e.uuid = fmt.Sprintf("%s/%d", k.name, j)
			}
			k.entries = append(k.entries, e)
		}
		g.turn(k)
		g.tree[fmt.Sprintf("-home-dev-fork/%s.jsonl", k.session)] = g.ended(k.String())
	}
}

const interrupted = "[Request interrupted by user]"

// sideJob adds a side job of Claude Code itself, which replays its session.
func (g *generator) sideJob(of *talk, dir string) {
	if g.often() {
		return
	}
	k := &talk{name: of.session + "-side", session: of.session, cwd: of.cwd, side: true, seconds: of.seconds}
	for _, e := range of.entries {
		// A copy of an interruption in a fork and one in a side job are the same
		// only by way of the original.
		if e.side = true; !strings.Contains(e.rest, interrupted) {
			k.entries = append(k.entries, e)
		}
	}
	k.reply(reply{id: g.id("msg"), in: 7, out: 70, stop: "end_turn"})
	g.tree[fmt.Sprintf("%s%s/subagents/agent-a%s-1.jsonl", dir, of.session, pick(g, "compact", "side_question", "prompt_suggestion"))] = k.String()
}

// replay appends the whole history again under new uuids, as the resuming of a
// session once did.
func (g *generator) replay(k *talk) {
	for i, e := range k.entries {
		e.uuid = fmt.Sprintf("%s/again%d", k.name, i)
		k.entries = append(k.entries, e)
	}
}
