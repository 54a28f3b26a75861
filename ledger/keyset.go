package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// maxKeys is the maximum number of keys in a keySet.
const maxKeys = 10_000

// A keySet counts keys, each once while there is room for it. The zero keySet is empty.
type keySet struct {
	keys   map[transcript.Key]struct{}
	beyond uint64 // number of keys that were added to the full set
}

// add adds a key. A full set counts a key that it does not have whenever it is added.
func (s *keySet) add(k transcript.Key) {
	if _, known := s.keys[k]; known {
		return
	}
	if len(s.keys) >= maxKeys {
		s.beyond = SaturatingAdd(s.beyond, 1)
		return
	}
	if s.keys == nil {
		s.keys = make(map[transcript.Key]struct{})
	}
	s.keys[k] = struct{}{}
}

func (s *keySet) len() uint64 { return SaturatingAdd(uint64(len(s.keys)), s.beyond) }
