package dev.varve.platform.placement;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A device by backend, number and process: {@code cpu:0}, {@code vulkan:0@process}, {@code
 * cuda:1@grpc:gpubox:7700}.
 *
 * @param backend name of the backend
 * @param index number of the device, from 0
 * @param site the process that uses it
 */
public record DeviceReference(String backend, int index, Site site) {
    private static final Pattern FORM = Pattern.compile("([a-z][a-z0-9_-]*)(?::(\\d{1,4}))?");

    /**
     * Reads the name of a device of this process; a backend alone means its first device.
     *
     * @throws IllegalArgumentException if it has another form
     */
    public static DeviceReference parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "expected a backend and a number, such as cpu:0, found " + text);
        }
        return local(form.group(1), form.group(2) == null ? 0 : Integer.parseInt(form.group(2)));
    }

    /** A device of this process. */
    public static DeviceReference local(String backend, int index) {
        return new DeviceReference(backend, index, new Site.Local());
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
