package dev.varve.platform.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Address of an unlinked file: an open descriptor of the process that created it. On the wire u64
 * process and u32 descriptor.
 *
 * @param process process id
 * @param descriptor number of the descriptor in that process
 */
record RingFileDescriptor(long process, int descriptor) {
    static final int BYTES = Long.BYTES + Integer.BYTES;

    /** Address of no file. */
    static final RingFileDescriptor NONE = new RingFileDescriptor(0, 0);

    private static final Path OWN_DESCRIPTORS = Path.of("/proc/self/fd");

    /**
     * Returns the descriptor under which this process holds an unlinked file open.
     *
     * @throws IOException if there is none, or this system does not list descriptors
     */
    static RingFileDescriptor ofDeleted(String name) throws IOException {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(OWN_DESCRIPTORS)) {
            for (Path descriptor : descriptors) {
                if (leadsTo(descriptor, name)) {
                    return new RingFileDescriptor(
                            ProcessHandle.current().pid(),
                            Integer.parseInt(descriptor.getFileName().toString()));
                }
            }
        }
        throw new IOException(OWN_DESCRIPTORS + " does not show " + name);
    }

    private static boolean leadsTo(Path descriptor, String name) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains(name);
        } catch (IOException e) {
            // Another thread closed it meanwhile, so it is not this file.
            return false;
        }
    }

    /** Returns the path under which every process of the same user can open it. */
    Path path() {
        return Path.of("/proc", Long.toString(process), "fd", Integer.toString(descriptor));
    }

    void put(ByteBuffer target) {
        target.putLong(process).putInt(descriptor);
    }

    static RingFileDescriptor read(ByteBuffer source) {
        return new RingFileDescriptor(source.getLong(), source.getInt());
    }
}
