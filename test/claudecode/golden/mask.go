// Package golden masks the transcripts that Claude Code wrote in a scenario, for
// ordinary tests. The structure, numbers and short values stay, and so do the
// scenario's own texts. All other texts become x's, because Claude Code's prompts are
// not ours to publish, and invented ids, hashes and names of files replace the real
// ones.
package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const (
	longest   = 40   // a longer text is masked
	shortened = 1000 // a longer text becomes so many x's
)

// A Masker masks the transcripts of one run. Equal ids stay equal.
type Masker struct {
	scripted map[string]bool // texts that stay
	ids      map[string]string
}

// NewMasker returns a masker that keeps the texts of a scenario, given in YAML.
func NewMasker(scenario string) (*Masker, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(scenario), &document); err != nil {
		return nil, fmt.Errorf("read the scenario: %w", err)
	}
	m := &Masker{make(map[string]bool), make(map[string]string)}
	m.keep(&document)
	return m, nil
}

// keep keeps all texts of a part of a scenario.
func (m *Masker) keep(node *yaml.Node) {
	m.scripted[node.Value] = true
	for _, child := range node.Content {
		m.keep(child)
	}
}

// privateKeys are fields with Claude Code's texts for the API.
var privateKeys = []string{"shape", "rendered", "attachment"}

// publicAttachments describe events. They have no texts for the API.
var publicAttachments = []string{
	"hook_success", "hook_blocking_error", "hook_non_blocking_error", "hook_cancelled", "hook_permission_decision",
	"hook_additional_context", "plan_mode", "plan_mode_exit", "structured_output", "queued_command",
}

// structural are keys whose values are part of the structure, also where texts are
// private.
var structural = []string{"type", "role"}

// schemas are keys of descriptions of tools, which are emptied.
var schemas = []string{"input_schema", "schema", "properties"}

// A place is the position of a value in a line.
type place struct {
	key     string
	private bool // no text stays

	publicAttachment bool
}

// enter returns the place of a member of an object.
func (p place) enter(key string) place {
	p.key = key
	p.private = p.private || slices.Contains(privateKeys, key) && (key != "attachment" || !p.publicAttachment)
	return p
}

// Line masks a line of a transcript.
func (m *Masker) Line(line []byte) ([]byte, error) {
	var head struct {
		Type       string
		Attachment struct{ Type string }
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("mask a line: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	at := place{private: head.Type == "api-request-blob", publicAttachment: slices.Contains(publicAttachments, head.Attachment.Type)}
	var out bytes.Buffer
	if err := m.value(d, &out, at); err != nil {
		return nil, fmt.Errorf("mask a line: %w", err)
	}
	return out.Bytes(), nil
}

func (m *Masker) value(d *json.Decoder, out *bytes.Buffer, at place) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		return m.composite(d, out, at, token)
	case string:
		return writeString(out, m.text(token, at))
	case nil:
		out.WriteString("null")
	default:
		fmt.Fprint(out, token)
	}
	return nil
}

// composite copies an object or a list, whose beginning was read.
func (m *Masker) composite(d *json.Decoder, out *bytes.Buffer, at place, opening json.Delim) error {
	out.WriteString(opening.String())
	for first := true; d.More(); first = false {
		if !first {
			out.WriteByte(',')
		}
		within := at
		if opening == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			within = at.enter(fmt.Sprint(key))
			if err := writeString(out, m.replaceIDs(within.key)); err != nil {
				return err
			}
			out.WriteByte(':')
			if at.private && slices.Contains(schemas, within.key) {
				if err := skip(d, out); err != nil {
					return err
				}
				continue
			}
		}
		if err := m.value(d, out, within); err != nil {
			return err
		}
	}
	closing, err := d.Token()
	if err == nil {
		fmt.Fprint(out, closing)
	}
	return err
}

// skip replaces a value by an empty object.
func skip(d *json.Decoder, out *bytes.Buffer) error {
	out.WriteString("{}")
	var ignored json.RawMessage
	return d.Decode(&ignored)
}

func writeString(out *bytes.Buffer, s string) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(s)
	out.Truncate(out.Len() - 1) // the end of the line
	return err
}

func (m *Masker) text(s string, at place) string {
	switch {
	case m.scripted[s] || s == "":
		return s
	case slices.Contains(structural, at.key) && len(s) <= longest:
		return s
	case hash.FindString(s) == s || uuid.FindString(s) == s:
		return m.replaceIDs(s)
	case at.private:
		return cover(s)
	case utf8.RuneCountInString(s) <= longest || strings.HasPrefix(s, "/mnt/") && !strings.ContainsAny(s, " \n"):
		return m.replaceIDs(s)
	default:
		return m.coverBetweenTags(s)
	}
}

// cover returns x's of the same length.
func cover(s string) string {
	return strings.Repeat("x", min(utf8.RuneCountInString(s), shortened))
}

// tag is an element that describes an event within a text. Its name and the ids within
// it decide how a line counts, so they stay.
var tag = regexp.MustCompile(`</?[a-z][a-z-]*>`)

// coverBetweenTags masks a text but for its tags and the ids in them.
func (m *Masker) coverBetweenTags(s string) string {
	var out strings.Builder
	rest := s
	for _, found := range tag.FindAllString(s, -1) {
		before, after, _ := strings.Cut(rest, found)
		out.WriteString(m.between(before))
		out.WriteString(found)
		rest = after
	}
	out.WriteString(m.between(rest))
	return out.String()
}

// beginnings are the few words that describe an event and decide how a line counts.
var beginnings = []string{"The user doesn't want", "[Request interrupted by user for tool use]", "Exit code "}

func coverAfterBeginning(s string) string {
	for _, beginning := range beginnings {
		if rest, found := strings.CutPrefix(s, beginning); found {
			return beginning + cover(rest)
		}
	}
	return cover(s)
}

func (m *Masker) between(s string) string {
	if toolUse.FindString(s) == s || agent.FindString(s) == s || s == "completed" || m.scripted[s] {
		return m.replaceIDs(s)
	}
	return coverAfterBeginning(s)
}
