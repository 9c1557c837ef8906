package dev.varve.platform.cli;

import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What the command line says about the device of a draft model.
 *
 * @param device {@code --draft-device}
 * @param launcher {@code --draft-ipc-bin}
 * @param workFolder {@code --draft-ipc-work-dir}
 * @param ringCapacity {@code --draft-ipc-ring-cap}
 */
record DraftFlags(
        Optional<String> device,
        Optional<Path> launcher,
        Optional<Path> workFolder,
        Optional<Integer> ringCapacity) {
    private static final String DEVICE = "--draft-device";
    private static final String LAUNCHER = "--draft-ipc-bin";

    public DraftFlags {
        Objects.requireNonNull(device);
        Objects.requireNonNull(launcher);
        Objects.requireNonNull(workFolder);
        Objects.requireNonNull(ringCapacity);
    }

    /**
     * Checks what needs no knowledge of the backends.
     *
     * @throws IllegalArgumentException that begins with the flag that is wrong
     */
    void requireValid() {
        reference();
        if (ringCapacity.isPresent() && ringCapacity.get() < 1) {
            throw new IllegalArgumentException(
                    "--draft-ipc-ring-cap: expected 1 or more, found " + ringCapacity.get());
        }
        if (launcher.isEmpty() && workFolder.isPresent()) {
            throw new IllegalArgumentException("--draft-ipc-work-dir: needs " + LAUNCHER);
        }
        if (launcher.isEmpty() && ringCapacity.isPresent()) {
            throw new IllegalArgumentException("--draft-ipc-ring-cap: needs " + LAUNCHER);
        }
    }

    /**
     * Checks the draft's device against the target's.
     *
     * @param target what the target's devices were resolved to; {@code auto} means its first
     *     backend
     * @throws IllegalArgumentException that begins with the flag that is wrong
     */
    void requireFits(PlacementRequest target) {
        String targetBackend = target.primary().backend();
        DeviceReference draft = reference();
        if (launcher.isPresent()
                && (draft.isAutomatic() || draft.backend().equals(targetBackend))) {
            throw new IllegalArgumentException(
                    LAUNCHER
                            + ": only needed for mixed backends, and draft and target are both on "
                            + targetBackend);
        }
    }

    /**
     * Checks that this process can use the draft's device, unless another one will.
     *
     * @param provided whether a plugin provides a backend
     * @throws IllegalArgumentException that begins with the flag that is wrong
     */
    void requireProvided(Predicate<String> provided) {
        DeviceReference draft = reference();
        if (launcher.isEmpty()
                && draft.isLocal()
                && !draft.isAutomatic()
                && !provided.test(draft.backend())) {
            throw new IllegalArgumentException(
                    DEVICE
                            + ": no plugin provides device backend "
                            + draft.backend()
                            + ", and no "
                            + LAUNCHER
                            + " is given");
        }
    }

    /** What is ignored although it was asked for, for people. */
    List<String> notes() {
        return device.isPresent() || launcher.isPresent()
                ? List.of(
                        (device.isPresent() ? DEVICE : LAUNCHER)
                                + ": has no effect, since no draft model is served")
                : List.of();
    }

    private DeviceReference reference() {
        try {
            return DeviceReference.parse(device.orElse(PlacementFlags.DEFAULT_DEVICE));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(DEVICE + ": " + e.getMessage(), e);
        }
    }
}
