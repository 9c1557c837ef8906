package dev.varve.platform.check;

import dev.varve.api.VarveException;
import dev.varve.platform.placement.DeviceReference;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;

/** All checks of one device, in order. The checks of a group are made when it begins. */
public final class DeviceChecks {
    /** Multiple of the time limits for a software renderer, which also compiles its shaders. */
    private static final int PATIENCE = 3;

    /** Longest time after which {@link CheckRunner} gives up a check. */
    public static final Duration LONGEST =
            SpeedChecks.LIMIT.multipliedBy(PATIENCE * CheckRunner.GIVE_UP);

    private final CheckSetup setup;
    private final DeviceReference device;

    /** Creates the checks of a device of this process. */
    public DeviceChecks(CheckSetup setup, DeviceReference device) {
        this.setup = setup;
        this.device = device;
    }

    private boolean isSoftwareRenderer() {
        try {
            return !device.equals(DeviceReference.PROCESSOR)
                    && setup.backends().info(device).hostCores();
        } catch (VarveException _) {
            // Its first check reports the reason.
            return false;
        }
    }

    /**
     * Returns the checks from a number on; the order and number are the same at every call. If the
     * device cannot be opened, a single check stands for them, which fails with the reason.
     *
     * @param from number of the first check, from 0
     */
    public Iterator<Check> checks(int from) {
        try {
            setup.backends().info(device);
        } catch (VarveException e) {
            Callable<Verdict> fails =
                    () -> {
                        throw e;
                    };
            String name = from == 0 ? "backend" : "checks from number " + from;
            return List.of(new Check(CheckGroup.DEVICE, name, fails)).iterator();
        }
        boolean renders = isSoftwareRenderer();
        return Arrays.stream(CheckGroup.values())
                .filter(setup.groups()::contains)
                .flatMap(group -> checks(group, renders).stream())
                .skip(from)
                .map(check -> renders ? check.within(check.limit().multipliedBy(PATIENCE)) : check)
                .iterator();
    }

    private List<Check> checks(CheckGroup group, boolean renders) {
        return switch (group) {
            case DEVICE -> new DeviceFacts(setup, device).checks();
            case MODELS -> new ModelChecks(setup, device).checks();
            case OPERATORS -> {
                List<Check> checks = new ArrayList<>(new OperatorChecks(setup, device).checks());
                checks.addAll(new ProductChecks(setup, device).checks());
                yield checks;
            }
            case COPIES -> new CopyChecks(setup, device).checks();
            case DECODING -> new DecodingChecks(setup, device, renders).checks();
            case BATCHES -> new BatchChecks(setup, device).checks();
            case SPEED -> new SpeedChecks(setup, device).checks();
        };
    }
}
