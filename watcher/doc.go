// Package watcher tells which files below some directories may have changed.
//
// # Model
//
// Two sources feed one set of answers. Directory events are hints: fast, but a kernel drops them when its queue is full, reports nothing of what
// happened before a directory was watched, and knows nothing of writes through a mapping or from another machine. A periodic walk of the whole
// tree is the truth: it finds every file with its size, and repairs the watches on its way. Whoever listens to both has low latency and misses
// nothing for longer than [Options.ScanInterval], or than ten times that where there are very many files.
//
//	w := watcher.New(watcher.Options{Roots: []string{"/home/me/logs"}, Match: isLog})
//	go w.Run(ctx)
//	for range w.Wake() {
//		u := w.Take()
//		// look at u.Dirty; when u.Tree is not nil, look for what is new, has grown, or is gone
//	}
//
// # Guarantees
//
//   - Directories are watched, never files. A directory is watched first and read afterwards, so nothing can fall between the two; the same goes
//     for every directory that appears later, with all that it holds by then.
//   - The goroutine that drains the events only puts names into sets. It never waits for a disk, a lock that is held for long, or the consumer.
//   - A lost event (a full queue, any error) means that all watches are made anew and everything is walked: at once, or after a pause if a walk
//     has only just been made.
//   - Starting never fails for want of watches. Where the system refuses them, the budget is spent, or one watch would cost one descriptor per
//     file (kqueue), the tree is polled, no faster than costs half a percent of a core. Walks beside events cost less than a tenth of one.
//   - Only regular files are reported. Symbolic links are not followed, save a root that is one itself.
//   - A root may be missing, vanish, come back, be exchanged or point elsewhere: noticed within five times [Options.PollInterval].
//   - A file is reported once, under the root that is nearest to it, even when roots lie in each other or lead to the same place.
//   - At most three goroutines and one descriptor (on Windows one handle per directory), however many files there are.
package watcher
