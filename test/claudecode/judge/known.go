package judge

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A Vocabulary has the kinds of lines, their fields, and the values of enumerations,
// each as a line of text:
//
//	line system/api_error
//	field assistant message.usage.input_tokens
//	value assistant message.stop_reason end_turn
type Vocabulary map[string]bool

// enumerations are the fields that have one of a few values.
var enumerations = strings.Fields(`
	type subtype stop_reason operation source decision reasonType reasonCode ruleSource grantScope toolDenialKind
	permissionMode mode trigger level status role userType entrypoint promptSource rowSource turnOrigin kind
	apiError apiErrorType error service_tier speed querySource effort taskType priority hookEvent hookName
	madeBy promptCacheRequested streamCutCause requestedEffort caller inference_geo`)

// opaque are fields with requests to the API, inputs and results of tools, and the
// like. Their own fields are ignored.
var opaque = strings.Fields(`
	input tools params message keep tail base snapshot system schema input_schema structured_output
	trackedFileBackups modelUsage structuredPatch toolUseResult hookInfos env data`)

// opaqueLines are kinds whose nested fields are ignored.
var opaqueLines = strings.Fields("api-request-shape api-request-blob api-request attachment/prompt_snapshot")

// common are fields of most lines. They are listed once, for the kind "*".
var common = strings.Fields(`
	agentId cwd entrypoint gitBranch isSidechain parentUuid rendered renderedRole sessionId session_id slug timestamp
	type userType uuid version`)

// value matches values of enumerations; all other values are texts.
var value = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_.:-]{0,39}$`)

// identifier matches names of fields; all other keys are data.
var identifier = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,39}$`)

// Collect adds the kinds, fields and values of lines.
func (v Vocabulary) Collect(lines []Line) {
	for _, l := range lines {
		v["line "+l.Kind] = true
		deep := !slices.Contains(opaqueLines, l.Kind)
		for key, field := range l.Data {
			kind := l.Kind
			if slices.Contains(common, key) {
				kind = "*"
			}
			v.field(kind, key, key, field, deep)
		}
	}
}

// field adds a field and its members.
func (v Vocabulary) field(kind, path, key string, data any, deep bool) {
	v["field "+kind+" "+path] = true
	switch data := data.(type) {
	case string:
		isKind := path == "type" || path == "subtype" || path == "attachment.type"
		if slices.Contains(enumerations, key) && !isKind && value.MatchString(data) {
			v["value "+kind+" "+path+" "+data] = true
		}
	case []any:
		for _, element := range data {
			if _, nested := element.([]any); !nested {
				v.field(kind, path+"[]", key, element, deep)
			}
		}
	case map[string]any:
		isMessage := path == "message" && (kind == "assistant" || kind == "user")
		if !deep || slices.Contains(opaque, key) && !isMessage {
			return
		}
		for name, field := range data {
			if !identifier.MatchString(name) {
				name = "*"
			}
			v.field(kind, path+"."+name, name, field, deep)
		}
	}
}

// New returns the entries that another vocabulary lacks, sorted.
func (v Vocabulary) New(known Vocabulary) (fresh []string) {
	for entry := range v {
		if !known[entry] {
			fresh = append(fresh, entry)
		}
	}
	slices.Sort(fresh)
	return fresh
}

// ReadVocabulary reads a list. Lines that begin with # are comments.
func ReadVocabulary(r io.Reader) (Vocabulary, error) {
	v := Vocabulary{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if text := lines.Text(); text != "" && !strings.HasPrefix(text, "#") {
			v[text] = true
		}
	}
	return v, lines.Err()
}

// Write writes the list.
func (v Vocabulary) Write(w io.Writer, comment string) error {
	_, err := fmt.Fprintf(w, "# %s\n%s\n", comment, strings.Join(slices.Sorted(maps.Keys(v)), "\n"))
	return err
}
