"""Workbooks.

usage: workbook.py write FILE ROWS   a generated workbook of one sheet and 12 columns, the same on every machine
       workbook.py read FILE         reads every cell with openpyxl
"""

import datetime
import random
import sys

import openpyxl

LABELS = ["订单号", "日期", "部门", "销售员", "城市", "Product", "类别", "数量", "单价", "金额", "折扣", "备注"]
DEPARTMENTS = ["销售一部", "销售二部", "市场部", "研发部", "财务部", "行政部"]
CLASSES = ["家电", "数码", "服饰", "食品"]
FIRST_DAY = datetime.datetime(2023, 1, 1)


def row(number, dice):
    count, price = dice.randint(1, 50), dice.randint(100, 99_999) / 100
    return [
        f"ORD-{number:06}",
        FIRST_DAY + datetime.timedelta(days=dice.randint(0, 729)),
        dice.choice(DEPARTMENTS),
        f"员工{dice.randint(1, 80):03}",
        f"城市{dice.randint(1, 200)}",
        f"product {dice.randint(1, 400)}",
        dice.choice(CLASSES),
        count,
        price,
        round(count * price, 2),
        dice.randint(50, 100) / 100,
        f"备注 {dice.randint(1, 1_000_000)}" if dice.random() < 0.3 else None,
    ]


def write(file, rows):
    dice = random.Random(20_240_501)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("销售明细")
    sheet.append(LABELS)
    for number in range(int(rows)):
        sheet.append(row(number, dice))
    book.save(file)


def read(file):
    book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    print(sum(1 for sheet in book for _ in sheet.iter_rows(values_only=True)))


mode, *arguments = sys.argv[1:]
{"write": write, "read": read}[mode](*arguments)
