import {
  Bar,
  BarChart,
  CartesianGrid,
  Cell,
  Legend,
  Line,
  LineChart,
  Pie,
  PieChart,
  Tooltip,
  XAxis,
  YAxis,
  useChartWidth,
  type TooltipContentProps,
} from 'recharts'

type Datum = {
  name: string
  /** Null for what is not known yet. */
  value: number | null
  /** Text that is shown instead of the value, where the chart draws another height. */
  valueText?: string
}
export type ChartProps = { title: string; data: readonly Datum[]; format: (value: number) => string }

/*
 * Recharts weighs more than the rest of the shop: only `chart-figure` imports this file, as a `part`. Nothing here
 * is animated, and the table below each chart says the same in words.
 */
export function Bars({ title, data, format }: ChartProps) {
  return (
    <BarChart responsive aria-label={title} data={data} className={frame} margin={margin}>
      <CartesianGrid vertical={false} stroke="var(--color-line)" />
      <NameAxis />
      <YAxis {...axis} {...computeValueAxis(data)} width="auto" tickFormatter={compact} />
      <Tooltip
        cursor={{ fill: 'var(--color-sunken)' }}
        content={(props) => <ChartTooltip {...props} format={format} />}
      />
      <Bar dataKey="value" maxBarSize={72} isAnimationActive={false}>
        {data.map(({ name }, index) => (
          <Cell key={name} fill={colorAt(index)} />
        ))}
      </Bar>
    </BarChart>
  )
}

/** Names each bar, on the narrowest phones in smaller letters, so that two names do not look like one. */
function NameAxis() {
  const width = useChartWidth() ?? 0
  const fontSize = width < 280 ? 12 : axis.tick.fontSize
  return <XAxis dataKey="name" {...axis} tick={{ ...axis.tick, fontSize }} interval={0} />
}

/** What was earned in each month. */
export function Months({ title, data, format }: ChartProps) {
  return (
    <LineChart responsive aria-label={title} data={data} className={frame} margin={{ ...margin, right: 16 }}>
      <CartesianGrid vertical={false} stroke="var(--color-line)" />
      <MonthAxis />
      <YAxis {...axis} {...computeValueAxis(data)} width="auto" tickFormatter={compactDollars} />
      <Tooltip
        cursor={{ stroke: 'var(--color-edge)' }}
        content={(props) => <ChartTooltip {...props} format={format} />}
      />
      <Line
        dataKey="value"
        stroke="var(--color-accent)"
        strokeWidth={2}
        dot={{ r: 3, fill: 'var(--color-raised)' }}
        isAnimationActive={false}
      />
    </LineChart>
  )
}

/** Ticks for about five lines, at whole steps of 1, 2 or 5 times a power of ten. */
function computeValueAxis(data: ChartProps['data']) {
  const values = data.map(({ value }) => value ?? 0)
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)]
  const about = Math.max((most - least) / 5, 1)
  const ten = 10 ** Math.floor(Math.log10(about))
  const step = ([1, 2, 5].find((times) => times * ten >= about) ?? 10) * ten
  const first = Math.floor(least / step)
  const ticks = Array.from(
    { length: Math.max(Math.ceil(most / step), 1) - first + 1 },
    (_, n) => (first + n) * step,
  )
  return { ticks, domain: [ticks[0] ?? 0, ticks.at(-1) ?? 0], interval: 0 }
}

/** Names all twelve months, on a phone by their first letter: with gaps, nobody could tell which is which. */
function MonthAxis() {
  const width = useChartWidth() ?? 0
  const letters = width < 480 ? 1 : 3
  return (
    <XAxis
      dataKey="name"
      {...axis}
      padding={{ left: 16 }}
      interval={0}
      tickFormatter={(name: string) => name.slice(0, letters)}
    />
  )
}

export function Shares({ title, data, format }: ChartProps) {
  const colored = data.map((datum, index) => ({ ...datum, fill: colorAt(index) }))
  return (
    <PieChart responsive aria-label={title} className={frame}>
      <Pie
        // The chart itself takes the keyboard focus.
        rootTabIndex={-1}
        data={colored}
        dataKey="value"
        nameKey="name"
        innerRadius="55%"
        outerRadius="90%"
        stroke="var(--color-raised)"
        strokeWidth={2}
        isAnimationActive={false}
      />
      <Tooltip content={(props) => <ChartTooltip {...props} format={format} />} />
      <Legend
        iconType="square"
        iconSize={10}
        formatter={(name) => <span className="mr-2 text-small text-ink">{name}</span>}
      />
    </PieChart>
  )
}

/** The tooltip of what the pointer, or an arrow key, is at. */
function ChartTooltip({ active, payload, format }: TooltipContentProps & { format: ChartProps['format'] }) {
  const entry = active ? payload[0] : undefined
  if (!entry) return null
  // Each entry carries the datum it was drawn from.
  const datum = entry.payload as Datum
  const amount = format(datum.value ?? 0)
  return (
    <div className="border-l-4 border-thread bg-cloth px-3 py-2 text-small text-on-cloth shadow-lift">
      <p className="text-cloth-muted">{datum.name}</p>
      <p className="font-semibold tabular-nums">{datum.valueText ?? amount}</p>
      {datum.valueText !== undefined && (
        <p className="text-cloth-muted tabular-nums">{`drawn as ${amount}`}</p>
      )}
    </div>
  )
}

const colors = ['var(--color-ink)', 'var(--color-accent)', 'var(--color-edge)', 'var(--color-denim)']
const colorAt = (index: number) => colors[index % colors.length]

const shortened = { notation: 'compact', maximumFractionDigits: 2 } as const
const compactNumber = new Intl.NumberFormat('en-US', shortened)
const compactMoney = new Intl.NumberFormat('en-US', {
  ...shortened,
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 0,
})
const compact = (value: number) => compactNumber.format(value)
const compactDollars = (value: number) => compactMoney.format(value)

const frame = 'h-72 w-full outline-offset-4 [&_g]:outline-none'
const margin = { top: 8, right: 8, bottom: 0, left: 0 }
const axis = {
  tickLine: false,
  axisLine: { stroke: 'var(--color-edge)' },
  tick: { fill: 'var(--color-muted)', fontSize: 13 },
} as const
