package docs_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Words of an unidiomatic style are rare: at most 10 per 100,000 words of the
// code and the documents. They are split here so that this file has none.
func TestPlainWords(t *testing.T) {
	avoided := []string{"no" + "body", "who" + "ever", "a" + "new", "to" + "ld", "te" + "lls", "am" + "idst", "mean" + "while", "sta" + "nds"}
	word := regexp.MustCompile(`[A-Za-z]+`)
	total, found := 0, make(map[string]int) // found: by word and file
	eachFile(t, []string{".go", ".md"}, func(name, text string) {
		for _, w := range word.FindAllString(text, -1) {
			total++
			if w = strings.ToLower(w); slices.Contains(avoided, w) {
				found[w+" in "+name]++
			}
		}
	})
	sum := 0
	for n := range maps.Values(found) {
		sum += n
	}
	if limit := total * 10 / 100_000; sum > limit {
		t.Errorf("found %d of the avoided words among %d words, want at most %d:", sum, total, limit)
		for _, key := range slices.Sorted(maps.Keys(found)) {
			t.Errorf("  %s: %d times", key, found[key])
		}
	}
}
