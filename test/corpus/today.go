package corpus

import "fmt"

// generateToday writes sessions as the newest version does, each with one turn of about
// n requests, up to a size.
func (g *generator) generateToday(dir string, projects []project, n int, size int64) error {
	g.shared = make(map[sharedPart]string)
	for g.written.Bytes < size {
		s := g.today(projects, n)
		if err := s.save(dir); err != nil {
			return fmt.Errorf("write session %s: %w", s.sessionID, err)
		}
	}
	return nil
}

func (g *generator) today(projects []project, n int) *session {
	e := &g.eras[len(g.eras)-1]
	s := g.newSession(e, e.latest(), pick(g.rng, projects...))
	s.target = 1 << 30 // n limits it
	prompt := draw(g.rng, g.Prompts, s.version)
	for !prompt.Answers {
		prompt = draw(g.rng, g.Prompts, s.version)
	}
	s.send(prompt)
	s.rounds(n - 1)
	s.conclude()
	s.endTurn()
	s.reportCosts()
	return s
}

// A sharedPart is a part of a template that all sessions of a version have.
type sharedPart struct {
	version version
	*part
}

// share writes a part of a template, the same in all sessions of a version if all
// sessions are of today.
func (t *transcript) share(k *scope, p *part) {
	if t.shared == nil {
		t.write(p.then, k)
		return
	}
	key := sharedPart{t.version, p}
	if _, ok := t.shared[key]; !ok {
		t.shared[key] = t.text(p.then, k)
	}
	t.raw(t.shared[key])
}
