package packaging

import (
	"encoding/xml"
	"reflect"
	"strings"
	"testing"
)

// An element is an XML element with its text and its children.
type element struct {
	XMLName    xml.Name
	Attributes []xml.Attr `xml:",any,attr"`
	Text       string     `xml:",chardata"`
	Children   []element  `xml:",any"`
}

// parsePlist parses a property list strictly and returns its dictionary.
func parsePlist(t *testing.T, text string) map[string]any {
	t.Helper()
	var root element
	d := xml.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	if rest := strings.TrimSpace(text[d.InputOffset():]); rest != "" {
		t.Fatalf("got %q after the property list", rest)
	}
	if root.XMLName.Local != "plist" || len(root.Children) != 1 || strings.TrimSpace(root.Text) != "" {
		t.Fatalf("got %s with %d children and %q, want plist with one child", root.XMLName.Local, len(root.Children), root.Text)
	}
	if !strings.Contains(text, `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">`) {
		t.Error("the property list names no definition, or another one")
	}
	dict, ok := root.Children[0].value(t).(map[string]any)
	if !ok {
		t.Fatal("the property list has no dictionary")
	}
	return dict
}

func (e element) value(t *testing.T) any {
	t.Helper()
	name := e.XMLName.Local
	switch leaf := name == "string" || name == "integer" || name == "key"; {
	case len(e.Attributes) > 0 || leaf && len(e.Children) > 0 || !leaf && strings.TrimSpace(e.Text) != "":
		t.Fatalf("%s has text %q, attributes %v and %d children", name, e.Text, e.Attributes, len(e.Children))
	case leaf:
		return e.Text
	case name == "true" || name == "false":
		return name == "true"
	case name == "array":
		values := []any{}
		for _, child := range e.Children {
			values = append(values, child.value(t))
		}
		return values
	case name == "dict" && len(e.Children)%2 == 0:
		values := map[string]any{}
		for i := 0; i < len(e.Children); i += 2 {
			key := e.Children[i].Text
			if _, duplicate := values[key]; duplicate || e.Children[i].XMLName.Local != "key" {
				t.Fatalf("got %s %q, want a new key", e.Children[i].XMLName.Local, key)
			}
			values[key] = e.Children[i+1].value(t)
		}
		return values
	}
	t.Fatalf("unexpected element %s", name)
	return nil
}

func TestPropertyLists(t *testing.T) {
	want := map[string]any{
		"Label":                "ccwatchd",
		"ProgramArguments":     []any{"/usr/local/bin/ccwatchd", "run", "--web.listen-address=localhost:10230"},
		"EnvironmentVariables": map[string]any{"CLAUDE_CONFIG_DIR": "/a&b"},
		"RunAtLoad":            true, "KeepAlive": map[string]any{"SuccessfulExit": false}, "ThrottleInterval": "10",
		"ProcessType": "Background", "LowPriorityIO": true, "MaterializeDatalessFiles": true, "Umask": "63",
		"StandardOutPath":   "/home/alice/Library/Logs/ccwatchd.log",
		"StandardErrorPath": "/home/alice/Library/Logs/ccwatchd.log",
	}
	p := plain
	p.Env = map[string]string{"CLAUDE_CONFIG_DIR": "/a&b"}
	for _, name := range []string{LaunchAgent, LaunchDaemon} {
		text, err := Unit(name, p)
		if err != nil {
			t.Fatal(err)
		}
		if got := parsePlist(t, text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got\n%v, want\n%v", name, got, want)
		}
		want["UserName"] = "alice"
	}
}
