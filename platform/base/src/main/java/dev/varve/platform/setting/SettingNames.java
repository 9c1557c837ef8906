package dev.varve.platform.setting;

/** Names of the settings in the notation in which the operator sets them. */
@FunctionalInterface
public interface SettingNames {
    /** Names that are the identifiers, for callers without other names. */
    SettingNames IDENTIFIERS = Setting::id;

    /** The name of a setting, such as {@code --parallel}. */
    String of(Setting setting);

    /**
     * Inserts the names into a text that names settings by their identifiers.
     *
     * @param text such as {@code {setting:parallel}: expected 1 to 256, found 0}
     */
    default String render(String text) {
        return Setting.render(text, this);
    }
}
