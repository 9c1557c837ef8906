package dev.varve.platform.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

class CopyChecksTest {
    private static final int BYTES = 4096;

    /** Direction of copies that change a byte. */
    private enum Fault {
        NONE,
        WRITE,
        READ,
        BETWEEN
    }

    private record Memory(Fault fault, byte[] bytes) implements CopyMemory {
        static Memory with(Fault fault) {
            return new Memory(fault, new byte[BYTES]);
        }

        @Override
        public void write(ByteBuffer source) {
            source.duplicate().get(bytes);
            bytes[77] ^= (byte) (fault == Fault.WRITE ? 1 : 0);
        }

        @Override
        public void read(ByteBuffer target) {
            target.duplicate().put(bytes);
            target.put(88, (byte) (bytes[88] ^ (fault == Fault.READ ? 1 : 0)));
        }

        @Override
        public void copyTo(CopyMemory target) {
            System.arraycopy(bytes, 0, ((Memory) target).bytes, 0, BYTES);
            ((Memory) target).bytes[99] ^= (byte) (fault == Fault.BETWEEN ? 1 : 0);
        }

        @Override
        public void close() {}
    }

    @Test
    void equalCopiesAreOk() {
        Memory memory = Memory.with(Fault.NONE);

        assertEquals(CheckStatus.OK, CopyChecks.withHost(memory, BYTES, 0).status());
        assertEquals(
                CheckStatus.OK,
                CopyChecks.between(memory, Memory.with(Fault.NONE), BYTES, 0).status());
    }

    @Test
    void changedByteIsLocated() {
        assertEquals(
                Verdict.differs("the same bytes", "another byte at 77 of 4096"),
                CopyChecks.withHost(Memory.with(Fault.WRITE), BYTES, 0));
        assertEquals(
                Verdict.differs("the same bytes", "another byte at 88 of 4096"),
                CopyChecks.withHost(Memory.with(Fault.READ), BYTES, 0));
        assertEquals(
                Verdict.differs("the same bytes", "another byte at 99 of 4096"),
                CopyChecks.between(Memory.with(Fault.BETWEEN), Memory.with(Fault.NONE), BYTES, 0));
    }

    @Test
    void copiesBelowTheExpectedSpeedAreSlow() {
        assertEquals(
                CheckStatus.SLOW,
                CopyChecks.withHost(Memory.with(Fault.NONE), BYTES, 1e18).status());
    }
}
