package corpus

import "strings"

// changeDirectory continues in a directory below that of the session, or back in it.
func (s *session) changeDirectory() {
	separator := "/"
	if strings.Contains(s.home, `\\`) {
		separator = `\\`
	}
	if s.cwd == s.home {
		s.cwd += separator + "packages" + separator + pick(s.rng, s.Nouns...)
	} else {
		s.cwd = s.home
	}
}

// startElsewhere has a turn in a directory after which that of the transcripts is not
// named.
func (s *session) startElsewhere() {
	s.cwd = "/tmp"
	s.turn()
	s.cwd = s.home
}
