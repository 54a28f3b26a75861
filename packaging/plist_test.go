package packaging

import (
	"encoding/xml"
	"reflect"
	"strings"
	"testing"
)

// plist parses a property list, and complains of what is none.
func plist(t *testing.T, text string) map[string]any {
	t.Helper()
	p := parser{t, xml.NewDecoder(strings.NewReader(text))}
	root := p.element()
	if root.Name.Local != "plist" {
		t.Fatalf("%s in the place of a property list", root.Name.Local)
	}
	dict, ok := p.value(p.element()).(map[string]any)
	if !ok {
		t.Fatal("no dictionary")
	}
	p.end()
	if rest := strings.TrimSpace(text[p.InputOffset():]); rest != "" {
		t.Fatalf("%s after the property list", rest)
	}
	return dict
}

type parser struct {
	*testing.T
	*xml.Decoder
}

// next returns the next beginning or end of an element.
func (p parser) next() xml.Token {
	p.Helper()
	for {
		token, err := p.Token()
		if err != nil {
			p.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement, xml.EndElement:
			return token
		case xml.CharData:
			if s := strings.TrimSpace(string(token)); s != "" {
				p.Fatalf("text where none may be: %s", s)
			}
		}
	}
}

func (p parser) element() xml.StartElement {
	p.Helper()
	start, ok := p.next().(xml.StartElement)
	if !ok {
		p.Fatal("no element")
	}
	return start
}

func (p parser) end() {
	p.Helper()
	if _, ok := p.next().(xml.EndElement); !ok {
		p.Fatal("an element too many")
	}
}

func (p parser) text(start xml.StartElement) (s string) {
	p.Helper()
	if err := p.DecodeElement(&s, &start); err != nil {
		p.Fatal(err)
	}
	return s
}

func (p parser) value(start xml.StartElement) any {
	p.Helper()
	switch start.Name.Local {
	case "string", "integer":
		return p.text(start)
	case "true", "false":
		p.end()
		return start.Name.Local == "true"
	case "array":
		all := []any{}
		for {
			one, ok := p.next().(xml.StartElement)
			if !ok {
				return all
			}
			all = append(all, p.value(one))
		}
	case "dict":
		all := map[string]any{}
		for {
			key, ok := p.next().(xml.StartElement)
			if !ok {
				return all
			}
			if key.Name.Local != "key" {
				p.Fatalf("%s in the place of a key", key.Name.Local)
			}
			name := p.text(key)
			if _, twice := all[name]; twice {
				p.Fatalf("%s twice", name)
			}
			all[name] = p.value(p.element())
		}
	}
	p.Fatalf("unknown element %s", start.Name.Local)
	return nil
}

func TestPropertyLists(t *testing.T) {
	want := map[string]any{
		"Label":                "ccwatchd",
		"ProgramArguments":     []any{"/usr/local/bin/ccwatchd", "run", "--web.listen-address=localhost:10230"},
		"EnvironmentVariables": map[string]any{"CLAUDE_CONFIG_DIR": "/a&b"},
		"RunAtLoad":            true, "KeepAlive": true, "ThrottleInterval": "10", "ProcessType": "Background", "Umask": "63",
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
		if got := plist(t, text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s says\n%v, want\n%v", name, got, want)
		}
		want["UserName"] = "alice"
	}
}
