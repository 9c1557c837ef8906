package dev.varve.dist;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The installed Chromium, driven through the server's page as a person would. */
final class PageBrowser implements AutoCloseable {
    private static final Pattern VERSION = Pattern.compile("v(\\d+)\\..*", Pattern.DOTALL);
    private static final int OLDEST_NODE = 20;

    /**
     * Features of Chromium that no test sees. Each window would load the pages of the address field
     * in two processes. Chromium reads only the last list, so some features of Playwright's own are
     * here as well.
     */
    private static final String UNUSED =
            "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,"
                    + "GlobalMediaControls,HttpsUpgrades,LensOverlay,MediaRouter,"
                    + "OptimizationHints,PaintHolding,Translate";

    private final Playwright playwright;
    private final com.microsoft.playwright.Browser browser;

    private PageBrowser(Playwright playwright, com.microsoft.playwright.Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    /** Starts it; a test is skipped where there is no Chromium, or no Node that can drive it. */
    static PageBrowser start(Path folder) throws IOException {
        Optional<Browser> chromium = Browser.find(folder);
        assumeTrue(chromium.isPresent(), "no Chromium in the path, so nobody looks at the page");
        Optional<Path> node = node();
        assumeTrue(node.isPresent(), "no Node 20 in the path, so nobody looks at the page");
        Playwright playwright =
                Playwright.create(
                        new Playwright.CreateOptions()
                                .setEnv(
                                        Map.of(
                                                "PLAYWRIGHT_NODEJS_PATH",
                                                node.get().toString(),
                                                "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD",
                                                "1")));
        return new PageBrowser(
                playwright,
                playwright
                        .chromium()
                        .launch(
                                new BrowserType.LaunchOptions()
                                        .setExecutablePath(chromium.get().program())
                                        .setArgs(
                                                List.of(
                                                        "--no-sandbox",
                                                        "--disable-dev-shm-usage",
                                                        "--disable-gpu",
                                                        "--disable-features=" + UNUSED))));
    }

    private static Optional<Path> node() throws IOException {
        Optional<Path> node =
                Stream.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(":"))
                        .map(place -> Path.of(place, "node"))
                        .filter(Files::isExecutable)
                        .findFirst();
        if (node.isEmpty()) {
            return node;
        }
        Process process = new ProcessBuilder(node.get().toString(), "--version").start();
        Matcher version =
                VERSION.matcher(
                        new String(
                                process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        return node.filter(
                found -> version.matches() && Integer.parseInt(version.group(1)) >= OLDEST_NODE);
    }

    /** A person with a large screen. */
    BrowserContext desktop() {
        return browser.newContext(
                new NewContextOptions().setViewportSize(1280, 860).setAcceptDownloads(true));
    }

    /** A person with a small telephone. */
    BrowserContext phone() {
        return browser.newContext(
                new NewContextOptions()
                        .setViewportSize(360, 740)
                        .setDeviceScaleFactor(2)
                        .setHasTouch(true)
                        .setIsMobile(true));
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
