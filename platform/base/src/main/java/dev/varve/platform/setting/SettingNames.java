package dev.varve.platform.setting;

/** What the settings are called where a person gives them. */
@FunctionalInterface
public interface SettingNames {
    /** The settings by their identifiers, where nobody has other names for them. */
    SettingNames IDENTIFIERS = Setting::id;

    /** The name of a setting, such as {@code --parallel}. */
    String of(Setting setting);

    /**
     * Puts the names into a text that names settings by their identifiers.
     *
     * @param text such as {@code {setting:parallel}: expected 1 to 256, found 0}
     */
    default String render(String text) {
        return Setting.render(text, this);
    }
}
