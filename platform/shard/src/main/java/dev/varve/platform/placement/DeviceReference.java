package dev.varve.platform.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A device by backend, number and process: {@code cpu:0}, {@code vulkan:0@process}, {@code
 * cuda:1@grpc:gpubox:7700}.
 *
 * @param backend name of the backend, or {@value #AUTO}
 * @param index number of the device, from 0
 * @param site the process that uses it
 */
public record DeviceReference(String backend, int index, ProcessLocation site) {
    /** Name of the best backend of this process, until the request is resolved. */
    public static final String AUTO = "auto";

    private static final Pattern BACKEND = Pattern.compile("[a-z][a-z0-9_-]*");
    private static final Pattern ITEM =
            Pattern.compile("([^:@]*)(?::([^@]*))?(?:@(.*))?", Pattern.DOTALL);
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");

    /**
     * The CPU of this process, whose memory is the host's. Declared after the patterns that check
     * it.
     */
    public static final DeviceReference PROCESSOR = local("cpu", 0);

    /** Checks the form, and that only devices of this machine are automatic. */
    public DeviceReference {
        Objects.requireNonNull(site);
        if (!BACKEND.matcher(backend).matches() || index < 0) {
            throw new IllegalArgumentException(
                    "expected a backend and a number of 0 or more, found " + backend + ":" + index);
        }
        if (backend.equals(AUTO) && site instanceof ProcessLocation.Listening) {
            throw new IllegalArgumentException(
                    AUTO
                            + site
                            + ": only the devices of this machine can be chosen automatically;"
                            + " name the backend of the shard process");
        }
    }

    /**
     * Parses the name of one device; a backend alone means its first device.
     *
     * @throws IllegalArgumentException if it has another form
     */
    public static DeviceReference parse(String text) {
        return parse(text, true);
    }

    /**
     * Parses devices separated by commas, each with its number.
     *
     * @throws IllegalArgumentException if an item is empty or has another form
     */
    public static List<DeviceReference> parseList(String text) {
        List<DeviceReference> devices = new ArrayList<>();
        for (String item : text.split(",", -1)) {
            if (item.isEmpty()) {
                throw new IllegalArgumentException(
                        text.isEmpty()
                                ? "expected a device, found nothing"
                                : "empty item in " + text);
            }
            devices.add(parse(item, false));
        }
        return List.copyOf(devices);
    }

    private static DeviceReference parse(String text, boolean numberMayBeMissing) {
        Matcher form = ITEM.matcher(text);
        if (!form.matches()
                || !BACKEND.matcher(form.group(1)).matches()
                || (form.group(2) == null && !numberMayBeMissing)
                || (form.group(2) != null && !DIGITS.matcher(form.group(2)).matches())) {
            throw new IllegalArgumentException(
                    "expected a backend and a number, such as cpu:0, found "
                            + (text.isEmpty() ? "nothing" : text));
        }
        ProcessLocation site =
                form.group(3) == null
                        ? new ProcessLocation.Local()
                        : ProcessLocation.parse(form.group(3));
        return new DeviceReference(
                form.group(1), form.group(2) == null ? 0 : index(text, form.group(2)), site);
    }

    private static int index(String text, String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    text + ": expected a number up to " + Integer.MAX_VALUE + ", found " + digits,
                    e);
        }
    }

    /** A device of this process. */
    public static DeviceReference local(String backend, int index) {
        return new DeviceReference(backend, index, new ProcessLocation.Local());
    }

    /** Returns the same device in another process. */
    public DeviceReference at(ProcessLocation other) {
        return new DeviceReference(backend, index, other);
    }

    /** Whether its backend is not chosen yet. */
    public boolean isAutomatic() {
        return backend.equals(AUTO);
    }

    /** Whether this process computes on it. */
    public boolean isLocal() {
        return site instanceof ProcessLocation.Local;
    }

    /** Name of the device in its own process, such as {@code cpu:0}. */
    public String device() {
        return backend + ":" + index;
    }

    @Override
    public String toString() {
        return device() + site;
    }
}
