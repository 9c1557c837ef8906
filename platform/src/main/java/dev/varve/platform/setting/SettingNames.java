package dev.varve.platform.setting;

/** What the settings are called where a person gives them. */
@FunctionalInterface
public interface SettingNames {
    /** The name of a setting, such as {@code --parallel}. */
    String of(Setting setting);

    /**
     * Puts the names into a text that names settings by their identifiers.
     *
     * @param text such as {@code {parallel}: expected 1 to 256, found 0}
     */
    default String render(String text) {
        return Setting.render(text, this);
    }
}
