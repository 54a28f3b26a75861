package transcript

import "testing"

func TestBuiltLines(t *testing.T) {
	c := newComparer()
	for seed := range uint64(1500) {
		m := generator{choices: randomChoices(seed, 1024)}
		if c.compare(t, m.built(), seed%2 == 0); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestMutatedLines(t *testing.T) {
	lines := fixtureLines(t)
	c := newComparer()
	for seed := range uint64(1500) {
		m := generator{choices: randomChoices(seed, 32)}
		if c.compare(t, m.mutated(lines), seed%2 == 0); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// FuzzBuilt compares lines that are made of what lines are made of.
func FuzzBuilt(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(randomChoices(seed, 200))
	}
	c := newComparer()
	f.Fuzz(func(t *testing.T, choices []byte) {
		c.compare(t, (&generator{choices: choices}).built(), false)
	})
}

// FuzzMutated compares genuine lines of which a few bytes were changed.
func FuzzMutated(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(randomChoices(seed, 20))
	}
	lines := fixtureLines(f)
	c := newComparer()
	f.Fuzz(func(t *testing.T, choices []byte) {
		c.compare(t, (&generator{choices: choices}).mutated(lines), false)
	})
}
