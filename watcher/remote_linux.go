package watcher

import "golang.org/x/sys/unix"

// isRemote reports whether other machines, or a host outside this container, may write
// to a directory: their writes cause no events here. FUSE and 9P may serve such
// directories.
func isRemote(dir string) bool {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return false
	}
	switch uint32(s.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.FUSE_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC, unix.CODA_SUPER_MAGIC,
		unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC,
		lustre, vboxsf, vmhgfs, prlfs:
		return true
	}
	return false
}

// Numbers of file systems outside the kernel's sources, or without a name there:
// Lustre, and the shared folders of VirtualBox, VMware and Parallels.
const (
	lustre = 0x0bd00bd0
	vboxsf = 0x786f4256
	vmhgfs = 0xbacbacbc
	prlfs  = 0x7c7c6673
)
