package torture

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// flood makes new directories of projects, each with a session of a model and a project
// of its own. It removes the oldest if there are too many: there are fewer than the
// daemon may watch.
func (a *abuser) flood() error {
	const most, atOnce = 1300, 100
	for range atOnce {
		dir := fmt.Sprintf("-srv-flood-%d", a.names+1)
		if err := appendTo(a.abs(dir+"/session.jsonl"), a.shortSession()); err != nil {
			return err
		}
		a.flooded = append(a.flooded, a.abs(dir))
	}
	excess := a.flooded[:max(0, len(a.flooded)-most)]
	a.flooded = a.flooded[len(excess):]
	for _, dir := range excess {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

// crowd writes one file with many projects and models.
func (a *abuser) crowd() error {
	var all []byte
	for range 250 {
		all = append(all, a.shortSession()...)
	}
	a.names++
	return appendTo(a.abs(fmt.Sprintf("-srv-crowd/%d.jsonl", a.names)), all)
}

// shortSession returns a session of one request, in another project and mostly with
// another model than all before. After a thousand the sessions repeat: what the
// daemon remembers of sessions that exist has no limit, and memory has one.
func (a *abuser) shortSession() []byte {
	const models, sessions = 400, 1000
	a.names++
	id := fmt.Sprintf("crowd-%d", a.names%sessions)
	s := transcripttest.Session{ID: id, CWD: "/srv/project-" + id}
	s.Prompt(id).Reply(transcripttest.Reply{ID: "msg_" + id, Model: fmt.Sprintf("model-%d", a.names%models), Stop: "end_turn", In: 1, Out: 1})
	return []byte(s.String())
}

// impersonate writes a session, or a sub-agent, with the session id and the path of one
// of the victim's files, and totals of that session.
func (a *abuser) impersonate() error {
	f := a.pickVictim(func(*file) bool { return true })
	if f == nil {
		return nil
	}
	own := a.sessions
	if f.agent {
		own = a.agents
	}
	content, err := os.ReadFile(pick(a.rng, own))
	if err != nil {
		return err
	}
	victims, err := f.current()
	if err != nil {
		return err
	}
	id := sessionID.FindSubmatch(victims)
	if id == nil {
		return nil
	}
	content = sessionID.ReplaceAll(content, id[0])
	return a.writeCopy(f.name, fmt.Appendf(bytes.TrimSuffix(content, []byte("\n")),
		"\n{\"type\":\"cost-state\",%s,\"modelUsage\":{\"claude-opus-4-6\":{\"inputTokens\":%d,\"outputTokens\":7,\"costUSD\":9}}}\n", id[0], a.rng.IntN(5e9)))
}

var outputTokens = regexp.MustCompile(`"output_tokens":\d+`)

// plagiarize writes a copy of a file that the daemon has read at the same path, with
// the same numbers or lower ones: ids of messages belong to the source that has them
// first, and only higher numbers count.
func (a *abuser) plagiarize() error {
	f := a.pickVictim(func(f *file) bool { return f.read })
	if f == nil {
		return nil
	}
	content, err := f.current()
	if err != nil {
		return err
	}
	if a.rng.IntN(2) == 0 {
		content = outputTokens.ReplaceAll(content, []byte(`"output_tokens":1`))
	}
	if a.rng.IntN(3) == 0 {
		content = content[:a.rng.IntN(len(content)+1)]
	}
	return a.writeCopy(f.name, content)
}

// pickVictim picks one of the victim's files that has something.
func (a *abuser) pickVictim(fits func(*file) bool) *file {
	var all []*file
	for _, f := range a.victim.files {
		if f.written > 0 && fits(f) {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return pick(a.rng, all)
}

// writeCopy writes a file at the path that another file has in the victim's source, in
// place of what is there, or after it.
func (a *abuser) writeCopy(name string, content []byte) error {
	if !slices.Contains(a.copies, name) {
		a.copies = append(a.copies, name)
	}
	if a.rng.IntN(2) == 0 {
		if err := os.Remove(a.abs(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return appendTo(a.abs(name), content)
}

// moveCopy moves a copy to another project, or removes it.
func (a *abuser) moveCopy() error {
	if len(a.copies) == 0 {
		return nil
	}
	i := a.rng.IntN(len(a.copies))
	name := a.copies[i]
	a.copies = slices.Delete(a.copies, i, i+1)
	from, rest, _ := strings.Cut(name, "/")
	to := a.abs(fmt.Sprintf("%s-moved-%d/%s", from, a.rng.IntN(5), rest))
	err := os.MkdirAll(filepath.Dir(to), 0o755) //nolint:gosec // synthetic
	switch {
	case err != nil:
	case a.rng.IntN(2) == 0:
		err = os.Remove(a.abs(name))
	default:
		err = os.Rename(a.abs(name), to)
	}
	if errors.Is(err, fs.ErrNotExist) { // all was removed
		return nil
	}
	return err
}

// spendKeys renames a file with new ids over the one before, so that the abuser soon
// has more keys than a source may have.
func (a *abuser) spendKeys() error {
	const perLine = 100
	var all []byte
	for range a.keys / 4 / perLine {
		a.names++
		id := fmt.Sprintf("spent-%d", a.names)
		s := transcripttest.Session{ID: "spent", Name: id, CWD: "/srv/spent"}
		var calls []transcripttest.Call
		for i := range perLine {
			calls = append(calls, transcripttest.Call{ID: fmt.Sprintf("%s-%d", id, i), Name: "Read"})
		}
		s.Reply(transcripttest.Reply{ID: "msg_" + id, Stop: "tool_use", Out: 1, Calls: calls})
		all = append(all, s.String()...)
	}
	name := a.abs("-srv-spent/spent.jsonl")
	if err := errors.Join(os.RemoveAll(name+".tmp"), appendTo(name+".tmp", all)); err != nil {
		return err
	}
	return os.Rename(name+".tmp", name)
}

// lock takes the permission from a directory of the abuser, or from the whole source,
// or gives it back.
func (a *abuser) lock() error {
	if len(a.locked) > 0 && a.rng.IntN(2) == 0 {
		return a.unlock()
	}
	dir := a.root
	switch n := a.rng.IntN(4); {
	case n < 2 && len(a.flooded) > 0:
		dir = pick(a.rng, a.flooded)
	case n == 2 && len(a.copies) > 0:
		dir = filepath.Dir(a.abs(pick(a.rng, a.copies)))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // synthetic
		return err
	}
	a.locked = append(a.locked, dir)
	return os.Chmod(dir, 0)
}

// removeAll removes everything of the abuser.
func (a *abuser) removeAll() error {
	a.flooded, a.copies = nil, nil
	return errors.Join(a.unlock(), os.RemoveAll(a.root))
}
