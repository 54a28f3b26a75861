package torture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ccwatchd/ccwatchd/internal/reference"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// copy puts a copy of a file, as it is now, into another project or under another
// name. It does not grow.
func (t *tree) copy() (bool, error) {
	f, other := t.usable(anyFile), t.usable(anyFile)
	if f == nil || other == nil {
		return false, nil
	}
	b, err := f.now()
	if err != nil {
		return false, err
	}
	if f.agent {
		return t.copyAgent(f, project(other), b[:bytes.LastIndexByte(b, '\n')+1])
	}
	t.names++
	return true, appendTo(t.at(fmt.Sprintf("%s/copy-%d.jsonl", project(other), t.names)), b)
}

// copyAgent copies the file of a sub-agent, under the same name into another project,
// else under another name. As long as both are there, each counts as a sub-agent.
func (t *tree) copyAgent(f *file, to string, b []byte) (bool, error) {
	kind, spoke := subagentKind(f.name, b)
	if !spoke {
		return false, nil
	}
	t.names++
	name := to + strings.TrimPrefix(f.name, project(f))
	if t.taken(name) {
		name = strings.TrimSuffix(f.name, ".jsonl") + fmt.Sprintf("-copy-%d.jsonl", t.names)
	}
	// It is no part of what was generated, but must be there when all is read at rest.
	source := filepath.Join(t.store, fmt.Sprintf("copy-%d", t.names), filepath.FromSlash(name))
	if err := appendTo(source, b); err != nil {
		return false, err
	}
	t.truth[reference.Key{Metric: "subagents", Labels: "kind=" + kind}]++
	f.copied = true
	t.files = append(t.files, &file{name: name, source: source, agent: true, written: len(b), whole: true, copied: true})
	return true, appendTo(t.at(name), b)
}

// subagentKind returns as what a sub-agent's file counts, and whether it does: it must
// have a line of dialogue.
func subagentKind(name string, content []byte) (kind string, spoke bool) {
	kind = string(transcript.KindOf(name))
	for line := range bytes.Lines(content) {
		var entry struct {
			Type    string
			Message struct{ Content any }
		}
		if json.Unmarshal(bytes.Trim(line, "\x00\r\n \t\ufeff"), &entry) != nil {
			continue
		}
		switch entry.Type {
		case "assistant":
			spoke = true
		case "user":
			if entry.Message.Content == "Warmup" {
				kind = "warmup"
			}
			return kind, true
		}
	}
	return kind, spoke
}

var (
	uuidFields = regexp.MustCompile(`"(?:uuid|parentUuid|logicalParentUuid)":"[0-9a-f-]{36}"`)
	// byUUID matches what is counted by its uuid alone (see docs/counting.md): a clone
	// with another uuid is another one.
	byUUID = regexp.MustCompile(`"isApiErrorMessage":true|"subtype":"api_error"`)
)

// clone puts a clone of a session's file beside it, as tools make them that migrate
// or merge sessions: every entry has another uuid, and the same time, text and ids. API
// errors and retries are left out, since they would count again.
func (t *tree) clone() (bool, error) {
	f := t.usable(func(f *file) bool { return !f.agent })
	if f == nil {
		return false, nil
	}
	b, err := f.now()
	if err != nil {
		return false, err
	}
	t.names++
	return true, appendTo(t.at(path.Join(project(f), fmt.Sprintf("clone-%d.jsonl", t.names))), t.renamed(b))
}

// renamed returns the complete lines of a transcript with other uuids.
func (t *tree) renamed(content []byte) []byte {
	names := make(map[string]string)
	var all []byte
	for line := range bytes.Lines(content[:bytes.LastIndexByte(content, '\n')+1]) {
		if byUUID.Match(line) {
			continue
		}
		all = append(all, uuidFields.ReplaceAllFunc(line, func(field []byte) []byte {
			at := len(field) - 37
			old := string(field[at : at+36])
			if names[old] == "" {
				names[old] = fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", t.dice.Uint32(), t.dice.IntN(1<<16), t.dice.IntN(1<<12), t.dice.IntN(1<<12), t.dice.Uint64()>>16)
			}
			return append(append(append([]byte(nil), field[:at]...), names[old]...), '"')
		})...)
	}
	return all
}
