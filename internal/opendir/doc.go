// Package opendir opens directories in whose paths other users can place links.
//
// A process that can read the files of other users must not follow every link that one
// of them creates: it would read for this user what only others may read.
//
// # Guarantees
//
//   - Links in the base of a path, which the administrator chose, are followed.
//   - If the process can read the files of others, a later link is followed only if
//     root, or the owner of the directory to which it leads, owns it.
//   - The directory that is opened is the one that was checked. Each element of a path
//     is opened relative to the directory before it and without following a link, so a
//     link that takes the place of an element in between is not followed.
//   - An error reveals nothing about what the owner of a link cannot see.
//   - Nothing but directories is opened, so a FIFO does not block.
package opendir
