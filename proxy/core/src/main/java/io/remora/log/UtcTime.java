package io.remora.log;

/**
 * Formats dates in UTC without {@code java.time}, whose formatter loads more classes than the rest of this package.
 * Pure functions.
 *
 * <p>Bounds: years 1970 to 9999.
 */
public final class UtcTime {
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final String DAYS = "ThuFriSatSunMonTueWed";
    private static final int SECONDS_PER_DAY = 86_400;
    private static final int DAYS_PER_ERA = 146_097;
    /** Days from 0000-03-01 to 1970-01-01. */
    private static final int EPOCH_DAYS = 719_468;

    private UtcTime() {}

    /** {@code 2026-01-02T03:04:05.678Z}. */
    public static void appendIso(StringBuilder out, long epochMs) {
        appendIsoSecond(out, Math.floorDiv(epochMs, 1_000L));
        out.append('.');
        int ms = (int) Math.floorMod(epochMs, 1_000L);
        out.append((char) ('0' + ms / 100));
        appendTwo(out, ms % 100);
        out.append('Z');
    }

    /** {@code 2026-01-02T03:04:05}. */
    static void appendIsoSecond(StringBuilder out, long epochSecond) {
        int date = date(epochSecond);
        appendFour(out, year(date));
        out.append('-');
        appendTwo(out, month(date));
        out.append('-');
        appendTwo(out, day(date));
        out.append('T');
        appendTime(out, epochSecond);
    }

    /** {@code 02/Jan/2026:03:04:05 +0000}, the date of the Common Log Format. */
    static void appendCommonLog(StringBuilder out, long epochSecond) {
        int date = date(epochSecond);
        appendTwo(out, day(date));
        out.append('/');
        appendMonthName(out, date);
        out.append('/');
        appendFour(out, year(date));
        out.append(':');
        appendTime(out, epochSecond);
        out.append(" +0000");
    }

    /** {@code Fri, 02 Jan 2026 03:04:05 GMT}. Spec: RFC 9110 5.6.7, IMF-fixdate. */
    public static void appendHttpDate(StringBuilder out, long epochSecond) {
        int date = date(epochSecond);
        int weekday = (int) Math.floorMod(Math.floorDiv(epochSecond, (long) SECONDS_PER_DAY), 7L) * 3;
        out.append(DAYS, weekday, weekday + 3).append(", ");
        appendTwo(out, day(date));
        out.append(' ');
        appendMonthName(out, date);
        out.append(' ');
        appendFour(out, year(date));
        out.append(' ');
        appendTime(out, epochSecond);
        out.append(" GMT");
    }

    /**
     * Year, month and day packed into one int. Eras of 400 years start in March, so that the leap day is the last day of
     * a year.
     */
    private static int date(long epochSecond) {
        int days = (int) Math.floorDiv(epochSecond, (long) SECONDS_PER_DAY) + EPOCH_DAYS;
        int era = Math.floorDiv(days, DAYS_PER_ERA);
        int dayOfEra = days - era * DAYS_PER_ERA;
        int yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        int marchMonth = (5 * dayOfYear + 2) / 153;
        int day = dayOfYear - (153 * marchMonth + 2) / 5 + 1;
        int month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
        int year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
        return year << 9 | month << 5 | day;
    }

    private static int year(int date) {
        return date >> 9;
    }

    private static int month(int date) {
        return date >> 5 & 15;
    }

    private static int day(int date) {
        return date & 31;
    }

    private static void appendMonthName(StringBuilder out, int date) {
        int month = (month(date) - 1) * 3;
        out.append(MONTHS, month, month + 3);
    }

    private static void appendTime(StringBuilder out, long epochSecond) {
        int second = (int) Math.floorMod(epochSecond, (long) SECONDS_PER_DAY);
        appendTwo(out, second / 3_600);
        out.append(':');
        appendTwo(out, second / 60 % 60);
        out.append(':');
        appendTwo(out, second % 60);
    }

    private static void appendFour(StringBuilder out, int value) {
        appendTwo(out, value / 100);
        appendTwo(out, value % 100);
    }

    private static void appendTwo(StringBuilder out, int value) {
        out.append((char) ('0' + value / 10)).append((char) ('0' + value % 10));
    }
}
