package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// WithoutTranscript returns the session ids without a transcript: no file has such a
// name, and no main conversation begins with a line of the session.
func (l *Ledger) WithoutTranscript(ids []string) (missing []string) {
	type owner struct{ name, session shortHash }
	wanted := make(map[shortHash][]string)
	for _, id := range ids {
		name, session := transcript.NameKey(transcript.FileName(id)), transcript.KeyOf("session", id)
		o := owner{shortHash(name[:]), shortHash(session[:])}
		wanted[o.name] = append(wanted[o.name], id)
		wanted[o.session] = append(wanted[o.session], id)
	}
	found := make(map[string]bool)
	for _, f := range l.files.All() {
		if f.has(fileMissing) {
			continue
		}
		mark := func(h shortHash) {
			for _, id := range wanted[h] {
				found[id] = true
			}
		}
		mark(f.name)
		if !l.attrsOf(&f).kind.IsAgent() {
			mark(f.session)
		}
	}
	for _, id := range ids {
		if !found[id] {
			missing = append(missing, id)
		}
	}
	return missing
}
