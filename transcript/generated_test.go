package transcript

import "testing"

func TestGeneratedLines(t *testing.T) {
	compareGenerated(t, 1024, (*lineGenerator).line)
}

func TestMutatedLines(t *testing.T) {
	lines := fixtureLines(t)
	compareGenerated(t, 32, func(g *lineGenerator) []byte { return g.mutated(lines) })
}

func compareGenerated(t *testing.T, choices int, generate func(*lineGenerator) []byte) {
	t.Helper()
	c := newComparer()
	for seed := range uint64(1500) {
		g := lineGenerator{choices: randomChoices(seed, choices)}
		if c.compare(t, generate(&g), seed%2 == 0); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzGenerated(f *testing.F) {
	fuzzGenerated(f, 200, (*lineGenerator).line)
}

func FuzzMutated(f *testing.F) {
	lines := fixtureLines(f)
	fuzzGenerated(f, 20, func(g *lineGenerator) []byte { return g.mutated(lines) })
}

func fuzzGenerated(f *testing.F, choices int, generate func(*lineGenerator) []byte) {
	f.Helper()
	for seed := range uint64(50) {
		f.Add(randomChoices(seed, choices))
	}
	c := newComparer()
	f.Fuzz(func(t *testing.T, choices []byte) {
		c.compare(t, generate(&lineGenerator{choices: choices}), false)
	})
}
