package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkFileSystemsTest {
    @ParameterizedTest
    @CsvSource({
        "nfs, true",
        "nfs4, true",
        "cifs, true",
        "smb3, true",
        "9p, true",
        "virtiofs, true",
        "fuse, true",
        "fuse.sshfs, true",
        "fuse.rclone, true",
        "ceph, true",
        "NFS, true",
        "ext4, false",
        "xfs, false",
        "btrfs, false",
        "tmpfs, false",
        "overlay, false",
        "fuseblk, false",
        "zfs, false",
        "'', false"
    })
    void networkFileSystemTypesAreKnown(String type, boolean network) {
        assertEquals(network, NetworkFileSystems.isNetwork(type), type);
    }
}
