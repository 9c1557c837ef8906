package dev.varve.platform.placement;

import java.util.regex.Pattern;

/** Process that uses a device. */
public sealed interface ProcessLocation {
    /** This process. */
    record Local() implements ProcessLocation {
        @Override
        public String toString() {
            return "";
        }
    }

    /** A shard process that this process starts and ends. */
    record Child() implements ProcessLocation {
        static final String NAME = "process";

        @Override
        public String toString() {
            return "@" + NAME;
        }
    }

    /**
     * A shard process that was started separately, here or on another host.
     *
     * @param address transport and address, such as {@code unix:/run/varve/a.sock}
     */
    record Listening(String address) implements ProcessLocation {
        /** A comma would end the device in a list of devices. */
        private static final Pattern FORM = Pattern.compile("[a-z][a-z0-9+.-]*:[^\\s,]+");

        /** Checks that there is a transport and an address. */
        public Listening {
            if (!FORM.matcher(address).matches() || address.startsWith(Child.NAME + ":")) {
                throw new IllegalArgumentException(
                        "expected process, or a transport and an address without commas such as"
                                + " unix:/path or grpc:host:port, found "
                                + (address.isEmpty() ? "nothing" : address));
            }
        }

        @Override
        public String toString() {
            return "@" + address;
        }
    }

    /**
     * Parses the text after {@code @} in the name of a device.
     *
     * @throws IllegalArgumentException if it is neither {@code process} nor {@code scheme:address}
     */
    static ProcessLocation parse(String text) {
        return text.equals(Child.NAME) ? new Child() : new Listening(text);
    }
}
