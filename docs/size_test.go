package docs_test

import (
	"path"
	"strings"
	"testing"
)

// Documents stay few and short: before adding one, see which of them answers the
// question. The limits are lowered when documents become fewer, and not raised.
func TestSizeOfDocuments(t *testing.T) {
	users := documentGroup{name: "documents for users", documents: 15, words: 22_000}
	maintainers := documentGroup{name: "documents for maintainers", documents: 11, words: 15_000}
	eachFile(t, []string{".md"}, func(file, text string) {
		words := len(strings.Fields(text))
		switch {
		case file == "README.md" || file == "docs/README.md": // an introduction and an index
			users.sumOfWords += words
		case file == "SECURITY.md" || path.Dir(file) == "docs":
			users.add(words)
		case file == "CONTRIBUTING.md" || path.Dir(file) == "docs/design":
			maintainers.add(words)
		}
	})
	for _, g := range []documentGroup{users, maintainers} {
		if g.count > g.documents || g.sumOfWords > g.words {
			t.Errorf("%s: got %d with %d words, want at most %d with %d", g.name, g.count, g.sumOfWords, g.documents, g.words)
		}
	}
}

// A documentGroup is a group of documents with limits.
type documentGroup struct {
	name              string
	documents, words  int // limits
	count, sumOfWords int
}

func (g *documentGroup) add(words int) {
	g.count++
	g.sumOfWords += words
}
