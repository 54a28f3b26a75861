// Package opendir opens directories in whose paths other users can place links.
//
// A process that can read several users' files must not follow every link: one user's
// link could make it read another user's files.
//
// # Guarantees
//
//   - Links in the base of a path, which the administrator chose, are followed.
//   - If the process can read other users' files, a later link is followed only if root
//     or the owner of the target directory owns the link.
//   - The opened directory is the checked directory. Each element of a path is opened
//     relative to the directory before it and without following a link, so a link that
//     takes the place of an element in between is not followed.
//   - An error reveals nothing about files that the owner of a link cannot see.
//   - Nothing but directories is opened, so a FIFO does not block.
package opendir
