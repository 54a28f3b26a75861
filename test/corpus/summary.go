package corpus

import "bytes"

// A Summary describes the transcripts of a corpus.
type Summary struct {
	Files  int // including those of sub-agents and empty ones
	Lines  int
	Bytes  int64
	Tokens Tokens
}

func (s *Summary) add(content []byte) {
	s.Files++
	s.Bytes += int64(len(content))
	s.Lines += bytes.Count(content, []byte("\n"))
}

// Tokens are the true totals of the tokens of all requests. They are counted when a
// message is written for the first time, and not by reading.
type Tokens struct {
	Input      int `json:"inputTokens"`
	Output     int `json:"outputTokens"`
	CacheWrite int `json:"cacheCreationTokens"`
	CacheRead  int `json:"cacheReadTokens"`
}

// add adds the tokens of a request, or subtracts them if sign is -1.
func (t *Tokens) add(u *usage, sign int) {
	t.Input += sign * u[input]
	t.Output += sign * u[output]
	t.CacheWrite += sign * u[written]
	t.CacheRead += sign * u[read]
}
