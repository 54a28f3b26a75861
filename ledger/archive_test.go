package ledger

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// An archive is a file in the txtar format: some text, and then files, each
// after a line "-- NAME --".
type archive struct {
	text  []byte
	files []*section
}

// A section is one file of an archive.
type section struct {
	name string
	data []byte
}

func readArchive(t testing.TB, name string) *archive {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{}
	to := &a.text
	for line := range bytes.Lines(b) {
		marker, begins := strings.CutPrefix(strings.TrimSpace(string(line)), "-- ")
		if marker, ends := strings.CutSuffix(marker, " --"); begins && ends {
			a.files = append(a.files, &section{name: strings.TrimSpace(marker)})
			to = &a.files[len(a.files)-1].data
			continue
		}
		*to = append(*to, line...)
	}
	return a
}

// section returns the file with a name, nil when there is none.
func (a *archive) section(name string) *section {
	for _, s := range a.files {
		if s.name == name {
			return s
		}
	}
	return nil
}

func (a *archive) write(t testing.TB, name string) {
	t.Helper()
	b := bytes.NewBuffer(bytes.Clone(a.text))
	for _, s := range a.files {
		b.WriteString("-- " + s.name + " --\n")
		b.Write(s.data)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
