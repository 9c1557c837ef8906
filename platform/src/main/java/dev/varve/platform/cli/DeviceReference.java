package dev.varve.platform.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A device by backend and number, written {@code cpu:0}.
 *
 * @param backend name of the backend
 * @param index number of the device, from 0
 */
record DeviceReference(String backend, int index) {
    private static final Pattern FORM = Pattern.compile("([a-z][a-z0-9_-]*)(?::(\\d{1,4}))?");

    /**
     * Reads a reference; a backend alone means its first device.
     *
     * @throws UsageException if it has another form
     */
    static DeviceReference parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new UsageException(
                    "--device: expected a backend and a number, such as cpu:0, found " + text);
        }
        return new DeviceReference(
                form.group(1), form.group(2) == null ? 0 : Integer.parseInt(form.group(2)));
    }

    @Override
    public String toString() {
        return backend + ":" + index;
    }
}
