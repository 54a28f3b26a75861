// Package suggest finds the word that a person probably meant.
package suggest

import "strings"

// Nearest returns the candidate that begins with the word or is most similar to it in
// lower case, or "" if no candidate is similar.
func Nearest(word string, candidates []string) string {
	nearest, least := "", 3 // three edits are more likely another word than typing errors
	word = strings.ToLower(word)
	for _, candidate := range candidates {
		edits := distance(word, candidate)
		if word != "" && strings.HasPrefix(candidate, word) {
			edits = min(edits, 2)
		}
		if edits < least && edits < len(candidate) {
			nearest, least = candidate, edits
		}
	}
	return nearest
}

// distance returns the Levenshtein distance of a and b, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances of a prefix of a from each prefix of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			edits := min(row[j], row[j+1]) + 1
			if a[i] == b[j] {
				edits = min(edits, diagonal)
			} else {
				edits = min(edits, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], edits
		}
	}
	return row[len(b)]
}
