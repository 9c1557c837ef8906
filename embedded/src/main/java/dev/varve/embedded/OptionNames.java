package dev.varve.embedded;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.setting.SettingNames;

import java.util.function.Supplier;

/** Names of settings as options of this API, in the messages of the platform. */
final class OptionNames implements SettingNames {
    private static final SettingNames OPTIONS = new OptionNames();

    private OptionNames() {}

    @Override
    public String of(Setting setting) {
        return switch (setting) {
            case DEVICE, DEVICES -> "devices";
            case LAYER_SPLIT -> "split";
            // The identifiers of the others are the names of their options, where there is one.
            default -> setting.id();
        };
    }

    /** Returns a message that names options. */
    static String message(String text) {
        return OPTIONS.render(text);
    }

    /** Runs work of the platform, whose errors then name options. */
    static <T> T call(Supplier<T> work) {
        try {
            return work.get();
        } catch (VarveException e) {
            String message = message(e.getMessage());
            throw message.equals(e.getMessage()) ? e : new VarveException(e.kind(), message, e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(message(String.valueOf(e.getMessage())), e);
        }
    }
}
