// Package watcher reports which files below some directories may have changed.
//
// # Model
//
// Directory events and periodic walks feed one stream of updates. Events are fast but
// only hints: the kernel drops them when its queue is full, reports nothing from before
// a directory was watched, and does not see writes through a mapping or from another
// machine. A walk of the whole tree is the truth: it finds every file with its size and
// repairs the watches. A consumer of both has low latency and misses nothing for longer
// than the pause between walks: [Options.ScanInterval], or up to ten times as long in a
// large tree (over 7,500 files and directories with the default) or on a slow file
// system.
//
// Without events, checks take their place. They compare the files and directories that
// were written within the last 15 minutes, and the directories above them, with their
// last known state every [Options.PollInterval]. A walk is still the truth.
//
//	w := watcher.New(watcher.Options{Roots: []string{"/home/me/logs"}, Match: isLog})
//	go w.Run(ctx)
//	for range w.Wake() {
//		u := w.Take()
//		// check u.Dirty; if u.Tree is not nil, find new, grown and missing files
//	}
//
// # Guarantees
//
//   - A directory is watched, or its state recorded for checks, before it is read, so
//     no file is missed in between. The same holds for every directory that appears
//     later, including its content at that time.
//   - The goroutine that receives events only adds names to sets. It never waits for a
//     disk, the consumer, or a lock that is held for long.
//   - An event is reported at once if there was none for 100 ms. Otherwise it is
//     reported within 100 ms, together with all events until then. On Windows, where
//     the queue of events is short, all events are reported at once.
//   - After a lost event (full queue, any error), and after a watched directory was
//     removed or renamed, all watches are renewed and everything is walked: at once, or
//     after a pause if a walk has just finished.
//   - A lack of watches is no failure. If the system refuses watches, the limit is
//     reached, a root is on a network file system, or a watch would cost one descriptor
//     per file (kqueue), changes are found by checks.
//   - A wrong clock, of this machine or of a file server, and a file system that rounds
//     times may delay a change until the next walk, but hide no change.
//   - Checks cover the 512 most recently written files and directories of each source,
//     the directories above them, and files and directories that appear until the next
//     walk. Every check covers the latest 64 and an eighth of the rest; what changes is
//     covered by every check from then on. A slow file system or a large source extends
//     the interval of its own checks to ten times the duration of a check.
//   - The work for a change does not depend on the number of known directories, but on
//     the number of files and directories beside the change.
//   - Only regular files are reported. A root may be a symbolic link, and links to
//     directories directly below a root are followed, if they pass the check of package
//     opendir.
//   - A directory is listed through its root, so a link that takes its place during a
//     walk does not lead to the outside.
//   - A root, or the target of a link, may be missing, disappear, reappear, be replaced
//     or point elsewhere. That is detected within five PollIntervals.
//   - A file is reported once, below the nearest root, even if roots are nested or lead
//     to the same directory.
//   - At most three goroutines and one descriptor are used (on Windows one handle per
//     directory), regardless of the number of files.
package watcher
