package transcript

import "testing"

func FuzzGenerated(f *testing.F) { fuzzGenerated(f, 1024, (*lineGenerator).line) }

func FuzzMutated(f *testing.F) {
	lines := fixtureLines(f)
	fuzzGenerated(f, 32, func(g *lineGenerator) []byte { return g.mutated(lines) })
}

// fuzzGenerated compares the decoders for generated lines: go test runs only the seeds.
func fuzzGenerated(f *testing.F, choices int, generate func(*lineGenerator) []byte) {
	f.Helper()
	for seed := range uint64(1500) {
		f.Add(randomChoices(seed, choices), seed%2 == 0)
	}
	c := newComparer()
	f.Fuzz(func(t *testing.T, choices []byte, first bool) {
		c.compare(t, generate(&lineGenerator{choices: choices}), first)
	})
}
