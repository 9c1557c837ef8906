package dev.varve.platform.placement;

/** Which process a device is used by. */
public sealed interface Site {
    /** This one. */
    record Local() implements Site {
        @Override
        public String toString() {
            return "";
        }
    }

    /** A shard process that this one starts and ends. */
    record Child() implements Site {
        @Override
        public String toString() {
            return "@process";
        }
    }

    /**
     * A shard process that somebody else started, here or on another host.
     *
     * @param address transport and address, such as {@code unix:/run/varve/a.sock}
     */
    record Listening(String address) implements Site {
        @Override
        public String toString() {
            return "@" + address;
        }
    }
}
