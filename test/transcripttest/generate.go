package transcripttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Options say what Generate writes.
type Options struct {
	// Copies adds forks and side jobs with copies of a session, and messages whose last
	// record follows another message. The counts do not depend on the order of reading
	// then, but their labels do.
	Copies bool
	Size   int // number of sessions, 4 if zero
	// ShortIDs writes the ids of gateways: the same for all messages, which state their
	// request or only their blocks, and tool calls numbered from 0 in each message.
	ShortIDs bool
}

// A generator writes transcripts with all the difficulties of real ones.
type generator struct {
	*rand.Rand
	Options
	tree  Tree
	ids   int
	first *Session
}

// Generate returns a tree of sessions, the same for the same seed and options.
func Generate(seed uint64, o Options) Tree {
	if o.Size == 0 {
		o.Size = 4
	}
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), Options: o, tree: make(Tree)} //nolint:gosec // the same tree for the same seed
	for i := range o.Size {
		g.session(fmt.Sprintf("%d-%d", seed, i))
	}
	g.tree["-p-empty/empty.jsonl"] = ""
	return g.tree
}

// id returns an id that is unique in the tree.
func (g *generator) id(kind string) string {
	g.ids++
	return fmt.Sprintf("%s_%s%d", kind, g.first.ID, g.ids)
}

func (g *generator) newSession(name, id, cwd string, seconds int) *Session {
	return &Session{Name: name, ID: id, CWD: cwd, Seconds: seconds, Linked: g.ShortIDs}
}

// identify sets the id of another message. Without a request, only a short one may be
// that of others.
func (g *generator) identify(r *Reply) {
	r.ID = g.id("msg")
	if g.ids%2 == 0 {
		r.Ref = g.id("req")
	}
	switch {
	case !g.ShortIDs:
	case r.Ref == "":
		r.ID, r.Blocks = "msg_proxy", true
	default:
		r.ID = pick(g, "msg_proxy", "msg_of_all_responses", "")
	}
}

// callID returns the id of the n-th tool call of a message.
func (g *generator) callID(n int) string {
	if id := g.id("toolu_genuine"); !g.ShortIDs {
		return id
	}
	return fmt.Sprint("call_", n)
}

func (g *generator) often() bool  { return g.IntN(2) == 0 }
func (g *generator) seldom() bool { return g.IntN(6) == 0 }

func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

func (g *generator) session(id string) {
	project := pick(g, "app", "web", "lib", "doc")
	k := g.newSession(id, id, "/home/dev/"+project, g.IntN(3600))
	if g.first == nil {
		g.first = k
	}
	for range 2 + g.IntN(5) {
		g.turn(k)
	}
	dir := "-home-dev-" + project + "/"
	for i := range g.IntN(3) {
		in := pick(g, "", id+"/subagents/", id+"/subagents/workflows/wf_1/")
		g.subagent(k, fmt.Sprintf("%s%sagent-%s%d.jsonl", dir, in, id, i), i)
	}
	if g.Copies {
		g.fork(k)
		g.sideJob(k, dir)
	}
	if g.seldom() {
		g.replay(k)
	}
	g.addWork(k)
	g.tree[dir+id+".jsonl"] = g.ended(k.String())
}

// ended ends a file: complete, without its last newline, or within a line.
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
func (g *generator) turn(k *Session) {
	g.prompt(k)
	for range 1 + g.IntN(4) {
		g.step(k)
		g.noise(k)
	}
	if g.often() {
		k.Line("system", `,"subtype":"turn_duration","durationMs":%d`, g.IntN(200000))
	}
}

func (g *generator) prompt(k *Session) {
	text := g.id("text")
	switch g.IntN(9) {
	case 0:
		k.Line("user", `,"message":{"content":[{"type":"text","text":"<ide_opened_file>x"},{"type":"text","text":%q}]}`, text)
	case 1:
		k.Prompt("<command-name>/clear</command-name>" + text)
	case 2:
		k.Prompt("<command-message>x</command-message><command-name>/secret</command-name>" + text)
	case 3:
		k.Line("attachment", `,"attachment":{"type":"queued_command","commandMode":"prompt","prompt":%q}`, text)
	case 4:
		k.Line("user", `,"promptSource":"sdk","message":{"content":%q}`, text)
	case 5:
		k.Line("user", `,"isMeta":true,"message":{"content":%q}`, text)
	case 6:
		k.Prompt("<bash-input>ls</bash-input>" + text)
	default:
		modes := [...]string{"default", "plan", "auto"}
		k.Line("user", `,"permissionMode":%q,"message":{"role":"user","content":%q}`, modes[g.ids%3], text)
	}
}

// step adds an API message in one of the ways to write one, and the results of its
// tools.
func (g *generator) step(k *Session) {
	r := Reply{Model: pick(g, "opus", "sonnet", "haiku"), In: g.IntN(100), Read: g.IntN(2) * g.IntN(50000), Write5: g.IntN(2) * g.IntN(3000), Write1: g.IntN(300)}
	g.identify(&r)
	r.Cut = g.ids%8 == 0
	final := r
	final.Block = 1
	final.Out, final.Think, final.Stop = 10+g.IntN(900), g.IntN(10), pick(g, "tool_use", "end_turn", "max_tokens")
	for i := range g.IntN(3) {
		final.Calls = append(final.Calls, Call{g.callID(i), pick(g, "Bash", "Read", "Edit", "mcp__srv__do", "Task")})
	}
	if g.seldom() {
		final.Advised = 3
	}
	final.Fast, final.US = g.ids%5 == 0, g.ids%7 == 0
	if g.ids%9 == 0 {
		final.MissReason = []string{"model_changed", "system_changed", "tools_changed"}[g.ids/9%3]
	}
	r.Fast, r.US = final.Fast && g.ids%2 == 0, final.US // only the last record may be faster
	g.attribute(k, &r, &final)
	// In a copy, an early result of a call whose id others have could be that of another.
	early := !g.ShortIDs && g.seldom()
	if early {
		g.results(k, final.Calls)
	}
	r.Out = 1
	switch style := g.IntN(5); {
	case style == 0: // every line is final
		first := final
		first.Block = 0
		k.Reply(first).Reply(final)
	case style == 1: // no line is final
		final.Stop = ""
		k.Reply(r).Reply(final)
		k.Lines[len(k.Lines)-1].unfinished = &final
	case style == 2: // a gateway estimates first
		r.In, r.Read, r.Write5, r.Write1, r.Out = 8781, 0, 0, 0, 1+g.IntN(2)*2000
		k.Reply(r)
		k.Lines[len(k.Lines)-1].estimate = true
		k.Reply(final)
	case style == 3 && g.Copies: // another message or a prompt comes between
		k.Reply(r)
		if g.often() {
			k.Reply(Reply{ID: g.id("msg"), In: 1, Out: 2, Stop: "end_turn"})
		} else {
			g.prompt(k)
		}
		k.Reply(final)
	default:
		k.Reply(r)
		r.Block, final.Block = 1, 2
		k.Reply(r).Reply(final)
	}
	if !early {
		g.results(k, final.Calls)
	}
}

func (g *generator) results(k *Session, calls []Call) {
	for _, c := range calls {
		if g.IntN(12) == 0 {
			continue // lost
		}
		text, failed := "fine", g.seldom()
		if failed {
			text = pick(g, "Exit code 1", "The user doesn't want that", "<tool_use_error>no")
		}
		k.Result(c.ID, text, failed)
	}
	if g.seldom() {
		k.Result(g.callID(7), "Exit code 2", true) // of a call that was lost
	}
}

// noise adds a line that may appear between two messages.
func (g *generator) noise(k *Session) {
	switch g.IntN(16) {
	case 0:
		k.Line("system", `,"subtype":"compact_boundary","compactMetadata":{"trigger":%q,"preTokens":%d}`, pick(g, "auto", "manual"), g.IntN(200000))
	case 1:
		g.refusal(k)
	case 2:
		k.Line("system", `,"subtype":"api_error","error":{"status":529},"retryInMs":602.12`)
	case 3:
		for range 1 + g.IntN(2) {
			k.Line("queue-operation", `,"operation":%q`, pick(g, "enqueue", "dequeue", "popAll"))
			k.Seconds-- // often several at a time
		}
		k.Seconds++
	case 4:
		k.Line("progress", `,"data":{"type":"agent_progress","message":{"message":{"id":"msg_x","usage":{"input_tokens":5}}}}`)
	case 5:
		k.Line("user", `,"message":{"content":[{"type":"text","text":%q}]}`, interrupted+g.id("text"))
	case 6:
		k.Raw("broken \x00 line")
	case 7:
		one := &Session{Name: g.id("glued"), ID: k.ID, CWD: k.CWD, Side: k.Side, Seconds: k.Seconds}
		one.Prompt(g.id("text")).Reply(Reply{ID: g.id("msg"), In: 1, Out: 1, Stop: "end_turn"})
		k.Raw(one.Lines[0].String() + one.Lines[1].String())
	case 8:
		one := &Session{Name: g.id("torn"), ID: k.ID, CWD: k.CWD, Side: k.Side, Seconds: k.Seconds}
		one.Prompt(g.id("text"))
		k.Raw(`{"type":"user","message":{"conte` + one.Lines[0].String())
	case 9:
		k.Raw("\x00\x00\x00 ")
	case 10:
		k.Line("never-seen", `,"x":1`)
	case 11:
		k.Raw("[1]")
	}
}

// subagent adds the transcript of a sub-agent.
func (g *generator) subagent(of *Session, rel string, n int) {
	k := g.newSession(fmt.Sprintf("%s-agent%d", of.ID, n), of.ID, of.CWD, of.Seconds)
	k.Side = true
	if g.seldom() {
		k.Prompt("Warmup")
	} else {
		k.Prompt("do " + g.id("text"))
	}
	for range 1 + g.IntN(5) {
		g.step(k)
		g.noise(k)
	}
	g.tree[rel] = g.ended(k.String())
}

// refusal adds an API error: of too many requests, or of a limit that is stated, or of
// one that only the text names.
func (g *generator) refusal(k *Session) {
	fields, text := "", "no"
	switch len(k.Lines) % 4 {
	case 0:
		fields = `"quotaLimits":{"status":"rejected","resetsAt":1772431200,"rateLimitType":"five_hour"},`
	case 1:
		fields = `"quotaLimits":{"status":"rejected","resetsAt":1772841600,"rateLimitType":"seven_day"},`
	case 2:
		text = "You've hit your limit · resets 6am (UTC)"
	}
	k.Line("assistant", `,"isApiErrorMessage":true,"error":"rate_limit","apiErrorStatus":429,%s"message":{"model":"<synthetic>","content":[{"type":"text","text":%q}],"usage":{"input_tokens":0}}`, fields, text)
}

// attribute makes some messages work for something, as all of their records state.
func (g *generator) attribute(k *Session, records ...*Reply) {
	for _, r := range records {
		if k.Side && g.ids%3 == 0 {
			r.Agent = [...]string{"Explore", "private"}[g.ids%2]
		}
		switch g.ids % 11 {
		case 0:
			r.Skill = "review"
		case 1:
			r.Skill, r.Plugin = "private:skill", "private"
		case 2:
			r.Plugin, r.Server = "tools", "plugin:tools:db"
		}
	}
	if last := records[len(records)-1]; len(last.Calls) > 0 && g.ids%13 == 0 {
		last.Calls[0].Name = "Skill"
	}
}
