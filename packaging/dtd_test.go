package packaging

import (
	"encoding/xml"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A dtd has the content model of each element of a document type definition, as far as
// Apple's definition of property lists needs it.
type dtd map[string]*regexp.Regexp

const pcdata = "#PCDATA"

// readDTD reads a document type definition. A content model becomes a pattern for the
// names of the children, each with a space at its end, and for text.
func readDTD(t *testing.T, path string) dtd {
	t.Helper()
	text := regexp.MustCompile(`(?s)<!--.*?-->`).ReplaceAllString(readFile(t, path), "")
	for _, entity := range regexp.MustCompile(`<!ENTITY % (\w+) "(.*)"\s*>`).FindAllStringSubmatch(text, -1) {
		text = strings.ReplaceAll(text, "%"+entity[1]+";", entity[2])
	}
	models := make(dtd)
	for _, element := range regexp.MustCompile(`<!ELEMENT (\w+) (.*?)>`).FindAllStringSubmatch(text, -1) {
		model := strings.NewReplacer(" ", "", ",", "", "EMPTY", "").Replace(element[2])
		pattern := regexp.MustCompile(`#?\w+`).ReplaceAllString(model, "($0 )")
		models[element[1]] = regexp.MustCompile("^" + strings.ReplaceAll(pattern, "("+pcdata+" )", "("+pcdata+" )?") + "$")
	}
	return models
}

// check returns an error if an element or one below it violates the definition.
func (d dtd) check(e element) error {
	name := e.XMLName.Local
	var content strings.Builder
	for _, child := range e.Children {
		content.WriteString(child.XMLName.Local + " ")
	}
	if strings.TrimSpace(e.Text) != "" {
		content.WriteString(pcdata + " ")
	}
	if model := d[name]; model == nil || !model.MatchString(content.String()) {
		return fmt.Errorf("%s with the content %q, want %v", name, content.String(), model)
	}
	for _, a := range e.Attributes {
		if name != "plist" || a.Name.Local != "version" {
			return fmt.Errorf("%s with the attribute %s", name, a.Name.Local)
		}
	}
	for _, child := range e.Children {
		if err := d.check(child); err != nil {
			return err
		}
	}
	return nil
}

// Property lists are valid by Apple's definition, which is a copy of
// http://www.apple.com/DTDs/PropertyList-1.0.dtd.
func TestPropertyListsAreValid(t *testing.T) {
	models := readDTD(t, filepath.Join("testdata", "PropertyList-1.0.dtd"))
	if len(models) != 11 {
		t.Fatalf("got %d elements in the definition, want 11", len(models))
	}
	check := func(text string) error {
		var root element
		if err := xml.Unmarshal([]byte(text), &root); err != nil {
			return err
		}
		return models.check(root)
	}
	for _, name := range []string{LaunchAgent, LaunchDaemon} {
		for _, p := range []Program{plain, awkward} {
			text, err := Unit(name, p)
			if err == nil {
				err = check(text)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !strings.Contains(text, `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">`) {
				t.Errorf("%s names no definition, or another one", name)
			}
		}
	}
	for _, bad := range []string{
		"<key>a</key>",
		"<dict><key>a</key></dict>",
		"<dict><string>a</string></dict>",
		"<dict><key>a</key><true/><false/></dict>",
		"<dict><key>a</key><true>yes</true></dict>",
		"<dict><key>a</key>text<true/></dict>",
		"<array><bool/></array>",
		"<array><string>a<b/></string></array>",
		`<array><string id="a">a</string></array>`,
		"<array/><array/>",
		"",
	} {
		if check("<plist>"+bad+"</plist>") == nil {
			t.Errorf("%q is valid in a property list", bad)
		}
	}
}
