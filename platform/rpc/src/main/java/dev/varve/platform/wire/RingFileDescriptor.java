package dev.varve.platform.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a file without a name is: an open descriptor of the process that created it. On the wire
 * u64 process and u32 descriptor.
 *
 * @param process its number
 * @param descriptor number of the descriptor in that process
 */
record RingFileDescriptor(long process, int descriptor) {
    static final int BYTES = Long.BYTES + Integer.BYTES;

    /** Of no file. */
    static final RingFileDescriptor NONE = new RingFileDescriptor(0, 0);

    private static final Path OWN_DESCRIPTORS = Path.of("/proc/self/fd");

    /**
     * The descriptor of this process under which a file is open that had a name once.
     *
     * @throws IOException if there is none, or this system does not show descriptors
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
            // Another thread closed it meanwhile, so it is not the one.
            return false;
        }
    }

    /** The way to it for every process of the same user. */
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
