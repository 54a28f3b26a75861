package judge

import (
	"slices"
	"strings"
	"testing"
)

func TestVocabulary(t *testing.T) {
	seen := Vocabulary{}
	seen.Collect([]Line{
		parse("a", []byte(`{"type": "assistant", "uuid": "u", "message": {"stop_reason": "end_turn", "model": "m", "content": [{"type": "tool_use", "input": {"command": "c"}}]}}`)),
		parse("a", []byte(`{"type": "system", "subtype": "new one", "source": "a text, and no value"}`)),
		parse("a", []byte(`{"type": "cost-state", "modelUsage": {"claude-x": {"a": 1}}, "byId": {"1-2": {"n": 1}}}`)),
		parse("a", []byte(`{"type": "api-request-shape", "shape": {"system": [{"text": "t"}]}}`)),
	})
	want := strings.Split(`field * type
field * uuid
field api-request-shape shape
field assistant message
field assistant message.content
field assistant message.content[]
field assistant message.content[].input
field assistant message.content[].type
field assistant message.model
field assistant message.stop_reason
field cost-state byId
field cost-state byId.*
field cost-state byId.*.n
field cost-state modelUsage
field system/new one source
field system/new one subtype
line api-request-shape
line assistant
line cost-state
line system/new one
value assistant message.content[].type tool_use
value assistant message.stop_reason end_turn`, "\n")
	if got := seen.New(Vocabulary{}); !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	var file strings.Builder
	if err := seen.Write(&file, "A comment."); err != nil {
		t.Fatal(err)
	}
	known, err := ReadVocabulary(strings.NewReader(file.String()))
	if err != nil || len(known) != len(seen) || len(seen.New(known)) > 0 {
		t.Errorf("got %v, %v", known, err)
	}
	delete(known, "line system/new one")
	if got := seen.New(known); !slices.Equal(got, []string{"line system/new one"}) {
		t.Errorf("got %v", got)
	}
}
