package dev.varve.platform.compression.pages;

/**
 * What a drafter reads of a sequence. Not copied.
 *
 * @param ids of the drafter
 * @param pages by drafter token the page that it tells about, ascending; behind the last page for
 *     one that tells about none
 * @param count pages of the sequence
 */
record DrafterInput(int[] ids, int[] pages, int count) {
    /**
     * Means of the scores of each page's tokens; 0, which is the mean of all, for those without.
     */
    float[] means(double[] scores) {
        double[] sums = new double[count];
        int[] tokens = new int[count];
        for (int token = 0; token < scores.length; token++) {
            int page = pages[token];
            if (page < count) {
                sums[page] += scores[token];
                tokens[page]++;
            }
        }
        float[] means = new float[count];
        for (int page = 0; page < count; page++) {
            means[page] = tokens[page] == 0 ? 0 : (float) (sums[page] / tokens[page]);
        }
        return means;
    }
}
